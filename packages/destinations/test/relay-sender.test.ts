import { createHmac } from 'node:crypto'
import type { DeliveryDestination } from '@postrider/common'
import { freePort, type Receiver, startReceiver } from '@postrider/testkit'
import { AddressGuard } from '../src/guard/address-guard.ts'
import { RelaySender } from '../src/relay/sender.ts'
import { DATA, sendRequest, SILENT_LOG, webhookDestination } from './factories.ts'

const TOKEN = Buffer.from('src_1:key').toString('base64')

function openSender(url: string, allowedNetworks = ['127.0.0.0/8']): RelaySender {
  return new RelaySender({
    url,
    headerPrefix: 'x-service-',
    userAgent: 'postrider/test',
    guard: new AddressGuard({ allowedNetworks }),
    connectTimeoutMs: 5000,
    maxBodyBytes: 1024,
    log: SILENT_LOG,
  })
}

function destination(token = TOKEN, version = 1): DeliveryDestination {
  return webhookDestination('', {
    type: 'relay',
    version,
    config: { source_id: 'src_1' },
    credentials: { token },
    deliveryMetadata: { team: 'billing', Source: 'destination' },
  })
}

describe('sender to the event gateway', () => {
  let receiver: Receiver
  let sender: RelaySender

  beforeEach(async () => {
    receiver = await startReceiver()
    sender = openSender(`${receiver.url}/{id}?via=postrider`)
  })

  afterEach(async () => {
    await sender.stop()
    await receiver.stop()
  })

  it('posts the bytes of the data to the source, with metadata and a signature by the token', async () => {
    const metadata = { source: 'event', topic: 'forged', city: 'Köln' }
    const result = await sender.send(sendRequest(destination(), { metadata }))
    const [request] = receiver.requests

    expect(result).toMatchObject({ status: 'success', code: '200' })
    expect(request?.path).toBe('/src_1?via=postrider')
    expect(request?.body).toEqual(DATA)
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'postrider/test',
      'x-service-team': 'billing',
      'x-service-source': 'event',
      'x-service-city': 'K%C3%B6ln',
      'x-service-id': 'evt_1',
      'x-service-timestamp': '1700000000',
      'x-service-topic': 'user.created',
      'x-service-signature': `v0=${createHmac('sha256', TOKEN).update(DATA).digest('base64')}`,
    })
  })

  it('uses the token of the version that it is given', async () => {
    const other = Buffer.from('src_2:other').toString('base64')
    await sender.send(sendRequest(destination(other, 2)))

    expect(receiver.requests[0]?.path).toBe('/src_2?via=postrider')
  })

  it.each([400, 401, 404, 410, 500])(
    'calls %d a failure, and never disables for it',
    async (status) => {
      receiver.answer({ status, body: 'no' })

      expect(await sender.send(sendRequest(destination()))).toMatchObject({
        status: 'failed',
        code: String(status),
        disable: false,
        response: { body: Buffer.from('no') },
      })
    },
  )

  it('tells of a gateway that cannot be reached, blocked, silent, or without a usable token', async () => {
    const codeAt = async (url: string, networks?: string[]): Promise<string> => {
      const other = openSender(url, networks)
      const { code } = await other.send(sendRequest(destination(), { timeoutMs: 500 }))
      await other.stop()
      return code
    }
    expect(await codeAt(`http://127.0.0.1:${await freePort()}/{id}`)).toBe('connection_refused')
    expect(await codeAt(`${receiver.url}/{id}`, [])).toBe('blocked_address')
    expect(await codeAt('http://nowhere.invalid/{id}')).toBe('dns_error')
    receiver.answer({ fault: 'hang' })
    expect(await codeAt(`${receiver.url}/{id}`)).toBe('timeout')
    expect(await sender.send(sendRequest(destination('none')))).toMatchObject({
      code: 'unsendable',
    })
  })
})
