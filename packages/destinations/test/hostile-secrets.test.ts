import { inspect } from 'node:util'
import type { Log, StringMap } from '@postrider/common'
import { type BrokenFault, startBrokenReceiver, startReceiver } from '@postrider/testkit'
import type { SendResult } from '../src/destination-type.ts'
import { SECRET, sendRequest, webhookDestination } from './factories.ts'
import { openSender } from './open-sender.ts'

const KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const ACCESS: StringMap = { key: 'AKIAIOSFODNN7EXAMPLE', secret: KEY, session: 'a-session-token' }
const SHARED_KEY = 'c2hhcmVkIGFjY2VzcyBrZXk='
const TOKEN = Buffer.from('src_1:a-key-of-the-gateway').toString('base64')

/** What must not be seen: not in the log, not in what a tenant is shown, not in an error. */
const SECRETS = [
  SECRET,
  KEY,
  'a-session-token',
  SHARED_KEY,
  TOKEN,
  'a-key-of-the-gateway',
  'pass-of-mq',
]

interface Case {
  readonly config: StringMap
  readonly credentials: StringMap
}

/** By type: settings that lead to a server at this place. */
const TYPES: Readonly<Record<string, (url: URL) => Case>> = {
  webhook: ({ href }) => ({ config: { url: href }, credentials: { secret: SECRET } }),
  cloud_a_queue: ({ origin }) => ({
    config: {
      queue_url: 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders',
      endpoint: origin,
    },
    credentials: ACCESS,
  }),
  cloud_a_stream: ({ origin }) => ({
    config: { stream_name: 'orders', region: 'eu-west-1', endpoint: origin },
    credentials: ACCESS,
  }),
  cloud_a_storage: ({ origin }) => ({
    config: { bucket: 'my-events', region: 'eu-west-1', endpoint: origin },
    credentials: ACCESS,
  }),
  cloud_b_bus: ({ host }) => ({
    config: { name: 'orders' },
    credentials: {
      connection_string: `Endpoint=sb://${host}/;SharedAccessKeyName=send;SharedAccessKey=${SHARED_KEY};UseDevelopmentEmulator=true`,
    },
  }),
  broker_queue: ({ host, protocol }) => ({
    config: { server_url: host, exchange: 'events', tls: String(protocol === 'https:') },
    credentials: { username: 'events', password: 'pass-of-mq' },
  }),
}

const FAULTS: readonly BrokenFault[] = [
  'reset_on_connect',
  'fin_on_connect',
  'greeting',
  'never_answers',
  'endless_headers',
  'endless_body',
  'tls_garbage',
  'tls_alert',
]

describe.each(Object.keys(TYPES))('secrets of %s', (type) => {
  let seen: unknown[]
  const write = (message: string, fields: unknown): void => void seen.push(message, fields)
  const log: Log = { error: write, warn: write, info: write, debug: write }

  /** Sends, and keeps all that anybody gets to see of it. */
  async function send(url: string, allowedNetworks?: readonly string[]): Promise<void> {
    seen = []
    const sender = openSender(type, { log, ...(allowedNetworks ? { allowedNetworks } : {}) })
    const { config, credentials } = TYPES[type]?.(new URL(url)) ?? { config: {}, credentials: {} }
    const to = webhookDestination('', { type, config, credentials })
    try {
      const result = await sender.send(sendRequest(to, { timeoutMs: 200 }))
      seen.push(result, bodyOf(result))
    } catch (error) {
      // What a deliverer logs of a fault of its own.
      seen.push(error)
    } finally {
      await sender.stop()
    }
  }

  function expectNothingSecret(): void {
    const text = inspect(seen, { depth: 12, showHidden: true, maxStringLength: Infinity })
    for (const secret of SECRETS) expect(text).not.toContain(secret)
  }

  it.each(FAULTS)('are told by nothing when a server is broken: %s', async (fault) => {
    const receiver = await startBrokenReceiver(fault)
    await send(receiver.url)
    expectNothingSecret()
    await receiver.stop()
  })

  it('are told by nothing when there is no server, or none that may be asked', async () => {
    await send('http://127.0.0.1:1')
    expectNothingSecret()
    await send('http://127.0.0.1:1', [])
    expectNothingSecret()
    await send('http://nowhere.invalid:1')
    expectNothingSecret()
  })

  it('and addresses within are not shown to tenants', async () => {
    await send('http://localhost:1', [])
    const shown = inspect(seen, { depth: 12 })

    expect(shown).toContain('blocked_address')
    expect(shown).not.toMatch(/127\.0\.0\.1|::1/)
  })
})

describe('secrets that a server sends back', () => {
  it.each(['cloud_a_queue', 'cloud_a_stream', 'cloud_a_storage'])(
    'are not kept with its answer: %s',
    async (type) => {
      const words = `${KEY} and a-session-token, again ${KEY}`
      const body =
        type === 'cloud_a_storage'
          ? `<Error><Code>Odd</Code><Message>${words}</Message></Error>`
          : JSON.stringify({ __type: 'Odd', message: words })
      const receiver = await startReceiver({ answer: { status: 403, body } })
      const sender = openSender(type)
      const { config, credentials } = TYPES[type]?.(new URL(receiver.url)) ?? {
        config: {},
        credentials: {},
      }
      const to = webhookDestination('', { type, config, credentials })
      const result = await sender.send(sendRequest(to))

      expect(bodyOf(result)).toBe('… and …, again …')
      await sender.stop()
      await receiver.stop()
    },
  )
})

function bodyOf({ response }: SendResult): string {
  return response?.body.toString() ?? ''
}
