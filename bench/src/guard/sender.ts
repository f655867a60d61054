import { VERSION } from '@postrider/common'
import { readSettings } from '@postrider/config'
import {
  AddressGuard,
  createWebhookType,
  type Sender,
  type SendRequest,
} from '@postrider/destinations'
import { createLogger } from '@postrider/telemetry'
import { cpuUs, serve } from '../child.ts'
import { OpenGuard } from './open-guard.ts'

/** Which guard stands before the connections. */
export type Side = 'guarded' | 'open'

export interface Run {
  readonly side: Side
  readonly url: string
  readonly count: number
}

/** Requests under way at once. */
const LANES = 32
const LOOPBACK = '127.0.0.1'
const TIMEOUT_MS = 5000
const WARM_UP_LOOKUPS = 20_000
const BODY = Buffer.from(JSON.stringify({ at: 0, filling: 'x'.repeat(1000) }))

const { config } = readSettings(
  {
    DESTINATIONS_ALLOWED_NETWORKS: `${LOOPBACK}/8`,
    POSTGRES_URL: 'postgres://nobody@localhost/unused',
    RABBITMQ_URL: 'amqp://nobody@localhost/unused',
    REDIS_URL: 'redis://localhost/unused',
    AES_ENCRYPTION_SECRET: 'a secret of at least thirty-two characters',
  },
  { mode: 'delivery' },
)
const { webhook, allowedNetworks } = config.destinations
const log = createLogger({ level: 'warn', service: 'bench' })

const guards: Readonly<Record<Side, AddressGuard>> = {
  guarded: new AddressGuard({ allowedNetworks }),
  open: new OpenGuard(LOOPBACK),
}

/** Two webhook senders, as deliverers have them, that differ in nothing but their guard. */
const senders: Readonly<Record<Side, Sender>> = {
  guarded: senderBehind(guards.guarded),
  open: senderBehind(guards.open),
}

/** Ports are too few for as many connections as it takes until the engine has compiled the guard. */
async function warmUp(): Promise<void> {
  for (let i = 0; i < WARM_UP_LOOKUPS; i++) {
    for (const guard of Object.values(guards)) await guard.resolve('localhost', 'acme')
  }
}

function senderBehind(guard: AddressGuard): Sender {
  return createWebhookType({
    settings: webhook,
    guard,
    userAgent: `postrider/${VERSION}`,
    connectTimeoutMs: TIMEOUT_MS,
    maxBodyBytes: webhook.maxResponseBodyBytes,
    proxyUrl: null,
    log,
  }).createSender()
}

function requestTo(url: string): SendRequest {
  const nowMs = Date.now()
  return {
    destination: {
      uid: '019a0000-0000-7000-8000-000000000001',
      id: 'des_1',
      tenantUid: '019a0000-0000-7000-8000-000000000002',
      tenantId: 'acme',
      type: 'webhook',
      version: 1,
      config: { url },
      credentials: { secret: 'whsec_c2VjcmV0LW9mLXRoZS1iZW5jaG1hcms=' },
      deliveryMetadata: {},
      topics: ['*'],
      isDisabled: false,
    },
    eventId: 'evt_1',
    topic: 'bench',
    timeMs: nowMs,
    attemptTimeMs: nowMs,
    metadata: {},
    data: BODY,
    timeoutMs: TIMEOUT_MS,
  }
}

await warmUp()
serve({
  /** Sends that many requests, and answers with the CPU time of one in microseconds. */
  run: async ({ side, url, count }: Run) => {
    const request = requestTo(url)
    const startedCpu = cpuUs()
    let begun = 0
    const lane = async (): Promise<void> => {
      while (begun++ < count) {
        const { status, code } = await senders[side].send(request)
        if (status !== 'success') throw new Error(`a request ended with ${code}`)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    return (cpuUs() - startedCpu) / count
  },
})
