import { createPublicKey, verify } from 'node:crypto'
import {
  openStore,
  type PublicSigningKey,
  readPublicKeys,
  rotateSigningKeys,
} from '@postrider/store'
import {
  type DestinationRow,
  type ReceivedRequest,
  silentLog,
  type TenantRow,
  waitFor,
} from '@postrider/testkit'
import { type RunningDelivery, startDelivery } from './running-delivery.ts'
import { ScriptedJobQueue } from './scripted-job-queue.ts'
import {
  type DeliveryState,
  insertDelivery,
  insertTenant,
  insertWebhook,
  openWorld,
  readDelivery,
  type World,
} from './world.ts'

const IN_TIME_MS = 5000

const SIGNING = {
  DESTINATIONS_WEBHOOK_MODE: 'standard',
  DESTINATIONS_WEBHOOK_SIGNING: 'ed25519',
}

/** The base64 of 32 bytes, as standard mode wants it. */
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

describe('a webhook that is signed with the key of its tenant', () => {
  let world: World
  let jobs: ScriptedJobQueue
  let running: RunningDelivery
  let tenant: TenantRow
  let destination: DestinationRow

  beforeEach(async () => {
    world = await openWorld()
    jobs = new ScriptedJobQueue()
    jobs.isAway = true
    running = await startDelivery(world, { jobs, env: SIGNING })
    tenant = await insertTenant(world)
    destination = await insertWebhook(world, { tenant, secret: SECRET })
  })

  afterEach(async () => {
    await world[Symbol.asyncDispose]()
  })

  const deliverNext = async (to = destination): Promise<DeliveryState> => {
    const delivery = await insertDelivery(world, { destination: to })
    const handed = jobs.hand(delivery.job)
    await waitFor(() => handed.acks === 1, { what: 'the ack' })
    return await readDelivery(world, delivery)
  }

  const published = async (): Promise<readonly PublicSigningKey[]> => {
    const sets = await readPublicKeys(world.store, [tenant.id], { makesMissing: true })
    return sets.get(tenant.id) ?? []
  }

  const rotate = async (previousInvalidAtMs?: number): ReturnType<typeof rotateSigningKeys> =>
    await rotateSigningKeys(world.store, {
      tenantId: tenant.id,
      makesMissing: true,
      ...(previousInvalidAtMs === undefined ? {} : { previousInvalidAtMs }),
    })

  /** Which of the keys signed the last request, in the order of their signatures. */
  const signersOf = (keys: readonly PublicSigningKey[]): (string | undefined)[] =>
    signatures(world.receiver.requests.at(-1)).map(
      ({ content, signature }) => keys.find((key) => isMadeBy(key, content, signature))?.kid,
    )

  it('is verified with the published set, from the first request of the tenant on', async () => {
    expect(await deliverNext()).toMatchObject({ status: 'success' })
    const keys = await published()
    expect(keys).toHaveLength(1)
    expect(signersOf(keys)).toEqual([keys[0]?.kid])
  })

  it('is not verified with the keys of another tenant', async () => {
    const other = await insertTenant(world)
    const foreign = await insertWebhook(world, { tenant: other, secret: SECRET })
    expect(await deliverNext(foreign)).toMatchObject({ status: 'success' })
    expect(signersOf(await published())).toEqual([undefined])
  })

  it('is signed with both keys within 5 s of a rotation that nobody announced', async () => {
    await deliverNext()
    const [old] = await published()
    await rotate()
    const keys = await published()
    const startedAt = performance.now()

    await waitFor(
      async () => {
        await deliverNext()
        // A receiver that has kept the old set verifies each of them.
        expect(signersOf(old === undefined ? [] : [old])).toContain(old?.kid)
        return signersOf(keys).length === 2
      },
      { what: 'both to sign', deadlineMs: 2 * IN_TIME_MS },
    )

    expect(performance.now() - startedAt).toBeLessThan(IN_TIME_MS)
    expect(signersOf(keys)).toEqual(keys.map(({ kid }) => kid))
    expect(keys[1]?.kid).toBe(old?.kid)
  })

  it('is not signed with a revoked key once that was announced', async () => {
    await deliverNext()
    const [old] = await published()
    const answer = await rotate(0)
    const uids = answer.kind === 'rotated' ? answer.destinationUids : []
    await running.state.announce(uids.map((destinationUid) => ({ destinationUid })))

    await deliverNext()
    const keys = await published()
    expect(signersOf(keys)).toEqual([keys[0]?.kid])
    expect(keys[0]?.kid).not.toBe(old?.kid)
  })

  it('is not signed with an old key when its window has ended, without any change', async () => {
    await deliverNext()
    await rotate(Date.now() + 1500)
    await waitFor(async () => (await published()).length === 1, { what: 'the window to end' })
    const keys = await published()

    await waitFor(
      async () => {
        await deliverNext()
        return signersOf(keys).length === 1
      },
      { what: 'the new key to sign alone', deadlineMs: IN_TIME_MS },
    )
    expect(signersOf(keys)).toEqual([keys[0]?.kid])
  })

  it('is put back as a fault of ours, not sent unsigned, when its key cannot be decrypted', async () => {
    const store = openStore({
      url: world.database.url,
      applicationName: 'a process with another secret',
      encryptionSecrets: ['a secret that the deliverer does not have'],
      log: silentLog,
    })
    world.own({ stop: () => store.close() })
    await readPublicKeys(store, [tenant.id], { makesMissing: true })

    expect(await deliverNext()).toMatchObject({ status: 'pending', attempts: 0, faults: 1 })
    expect(running.log.find('signing keys cannot be decrypted')).toMatchObject({
      level: 'error',
      tenantUid: tenant.uid,
    })
    expect(world.receiver.requests).toEqual([])
  })
})

interface Signature {
  readonly content: Buffer
  readonly signature: Buffer
}

/** The asymmetric signatures of a request and what they sign (https://www.standardwebhooks.com). */
function signatures(request: ReceivedRequest | undefined): Signature[] {
  if (request === undefined) return []
  const header = (name: string): string => String(request.headers[`webhook-${name}`])
  const head = Buffer.from(`${header('id')}.${header('timestamp')}.`)
  const content = Buffer.concat([head, request.body])
  return header('signature')
    .split(' ')
    .filter((each) => each.startsWith('v1a,'))
    .map((each) => ({ content, signature: Buffer.from(each.slice('v1a,'.length), 'base64') }))
}

function isMadeBy({ publicKey }: PublicSigningKey, content: Buffer, signature: Buffer): boolean {
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
    format: 'jwk',
  })
  return verify(null, content, key, signature)
}
