import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jest } from '@jest/globals'
import type { DestinationType, SendResult } from '@postrider/destinations'
import type { StringMap } from '@postrider/common'
import { type Receiver, startReceiver } from '@postrider/testkit'
import { createCloudAQueueType } from '../src/cloud-a-queue/cloud-a-queue-type.ts'
import { createCloudAStorageType } from '../src/cloud-a-storage/cloud-a-storage-type.ts'
import { createCloudAStreamType } from '../src/cloud-a-stream/cloud-a-stream-type.ts'
import { AddressGuard } from '../src/guard/address-guard.ts'
import { ACCESS_KEY, awsDestination } from './aws.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { changeEnvironment } from './environment.ts'
import { sendRequest, SILENT_LOG } from './factories.ts'
import { failure } from './results.ts'

const QUEUE_URL = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'

/** Where each type's request would go to AWS. */
const HOSTS = {
  cloud_a_queue: 'sqs.eu-west-1.amazonaws.com',
  cloud_a_stream: 'kinesis.eu-west-1.amazonaws.com',
  cloud_a_storage: 'my-events.s3.eu-west-1.amazonaws.com',
}

describe('a client of AWS, in the surroundings of the operator', () => {
  let theirs: Receiver
  let dns: DnsServer
  let directory: string
  let restoreEnvironment: () => void

  beforeAll(async () => {
    theirs = await startReceiver()
    const outside = { a: ['93.184.216.34'] }
    dns = await startDnsServer(
      Object.fromEntries(Object.values(HOSTS).map((host) => [host, outside])),
    )
    directory = await mkdtemp(join(tmpdir(), 'postrider-'))
    const profile = `region = us-east-1\nendpoint_url = ${theirs.url}\nuse_fips_endpoint = true\nmax_attempts = 5\n`
    await writeFile(join(directory, 'config'), `[profile operator]\n${profile}`)
    restoreEnvironment = changeEnvironment({
      AWS_ACCESS_KEY_ID: 'AKIAOPERATOR',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'session',
      AWS_REGION: 'us-east-1',
      AWS_PROFILE: 'operator',
      AWS_CONFIG_FILE: join(directory, 'config'),
      AWS_ENDPOINT_URL: theirs.url,
      AWS_ENDPOINT_URL_SQS: theirs.url,
      AWS_ENDPOINT_URL_KINESIS: theirs.url,
      AWS_ENDPOINT_URL_S3: theirs.url,
      AWS_USE_DUALSTACK_ENDPOINT: 'true',
      AWS_MAX_ATTEMPTS: '5',
      AWS_SDK_UA_APP_ID: 'operator',
    })
  })

  afterAll(async () => {
    restoreEnvironment()
    await rm(directory, { recursive: true })
    await dns.stop()
    await theirs.stop()
  })

  it('goes to AWS in the region of the destination, and says nothing of a later Node', async () => {
    const warned = jest.spyOn(process, 'emitWarning')
    const dialled: string[] = []
    const guard = new AddressGuard({
      allowedNetworks: [],
      resolver: { servers: [dns.address], hostsPath: 'none', resolvConfPath: 'none' },
      mayDial: (address) => {
        dialled.push(address)
        return false
      },
    })
    for (const type of typesBehind(guard)) {
      expect(await sendBy(type, configOf(type))).toEqual(failure('blocked_address'))
    }

    expect(new Set(dns.asked)).toEqual(new Set(Object.values(HOSTS)))
    expect(dialled).toEqual(['93.184.216.34', '93.184.216.34', '93.184.216.34'])
    expect(theirs.connections).toBe(0)
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  it('goes where the destination says, with its credentials, once', async () => {
    const receiver = await startReceiver({ answer: { status: 500 } })
    const guard = new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] })
    for (const type of typesBehind(guard)) {
      const config = { ...configOf(type), endpoint: receiver.url }
      expect(await sendBy(type, config)).toMatchObject({ code: 'service_error' })
    }

    const key = `${ACCESS_KEY['key']}/`
    expect(receiver.requests).toHaveLength(3)
    for (const { headers } of receiver.requests) {
      expect(headers.authorization).toContain(`Credential=${key}`)
      expect(headers.authorization).toContain('/eu-west-1/')
      expect(headers['x-amz-security-token']).toBeUndefined()
      expect(headers['user-agent']).not.toContain('operator')
    }
    expect(theirs.connections).toBe(0)
    await receiver.stop()
  })
})

function typesBehind(guard: AddressGuard): readonly DestinationType[] {
  const options = { guard, log: SILENT_LOG }
  return [
    createCloudAQueueType(options),
    createCloudAStreamType({ ...options, hasMetadata: true }),
    createCloudAStorageType(options),
  ]
}

function configOf({ document }: DestinationType): StringMap {
  return document.type === 'cloud_a_queue'
    ? { queue_url: QUEUE_URL }
    : { region: 'eu-west-1', stream_name: 'orders', bucket: 'my-events' }
}

async function sendBy(type: DestinationType, config: StringMap): Promise<SendResult> {
  const sender = type.createSender()
  try {
    return await sender.send(sendRequest(awsDestination(type.document.type, config)))
  } finally {
    await sender.stop()
  }
}
