import { jest } from '@jest/globals'
import { type PubSub, type Receiver, startPubSub, startReceiver } from '@postrider/testkit'
import { createCloudCTopicType } from '../src/cloud-c-topic/cloud-c-topic-type.ts'
import type { SendResult } from '../src/destination-type.ts'
import { AddressGuard } from '../src/guard/address-guard.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { changeEnvironment } from './environment.ts'
import { sendRequest, webhookDestination } from './factories.ts'
import { settingsOf } from './samples.ts'

const GOOGLE = '142.250.184.202'

async function send(guard: AddressGuard, endpoint?: string): Promise<SendResult> {
  const { config, credentials } = settingsOf('cloud_c_topic', { config: { endpoint } })
  const sender = createCloudCTopicType(guard).createSender()
  const destination = webhookDestination('', { type: 'cloud_c_topic', config, credentials })
  const result = await sender.send(sendRequest(destination))
  await sender.stop()
  return result
}

describe('a client of Pub/Sub, in the surroundings of the operator', () => {
  let theirs: Receiver
  let dns: DnsServer
  let pubSub: PubSub
  let restoreEnvironment: () => void

  beforeAll(async () => {
    theirs = await startReceiver()
    dns = await startDnsServer({ 'pubsub.googleapis.com': { a: [GOOGLE] } })
    pubSub = await startPubSub({ topics: ['projects/acme-prod/topics/orders'] })
    restoreEnvironment = changeEnvironment({
      GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/operator.json',
      GOOGLE_CLOUD_PROJECT: 'operator',
      GOOGLE_CLOUD_QUOTA_PROJECT: 'operator',
      GOOGLE_CLOUD_UNIVERSE_DOMAIN: 'operator.test',
      GOOGLE_API_USE_MTLS_ENDPOINT: 'always',
      GCE_METADATA_HOST: new URL(theirs.url).host,
      METADATA_SERVER_DETECTION: 'assume-present',
      PUBSUB_EMULATOR_HOST: new URL(theirs.url).host,
      grpc_proxy: theirs.url,
      https_proxy: theirs.url,
      http_proxy: theirs.url,
    })
  })

  afterAll(async () => {
    restoreEnvironment()
    await pubSub.stop()
    await dns.stop()
    await theirs.stop()
  })

  it('goes to Google, through the guard', async () => {
    const dialled: string[] = []
    const guard = new AddressGuard({
      allowedNetworks: [],
      resolver: { servers: [dns.address], hostsPath: 'none', resolvConfPath: 'none' },
      mayDial: (address) => {
        dialled.push(address)
        return false
      },
    })

    expect((await send(guard)).code).toBe('blocked_address')
    expect(dialled).toEqual([GOOGLE])
  })

  it('goes to the endpoint of the destination, with nothing of the operator’s, and warns of nothing', async () => {
    const warned = jest.spyOn(process, 'emitWarning')
    const guard = new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] })

    expect((await send(guard, `127.0.0.1:${pubSub.port}`)).code).toBe('accepted')
    expect(pubSub.calls.map(({ authorization }) => authorization)).toEqual([null])
    expect(theirs.connections).toBe(0)
    expect(warned.mock.calls).toEqual([])
    warned.mockRestore()
  })
})
