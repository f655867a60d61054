import { createPrivateKey, createPublicKey, hash } from 'node:crypto'
import type { DeliveryDestination, SigningKey } from '@postrider/common'
import { silentLog, waitFor } from '@postrider/testkit'
import {
  deleteTenant,
  disableUsedVersion,
  openStore,
  readDestinationsForDelivery,
  readDestinationVersions,
  readPublicKeys,
  rotateSigningKeys,
  runMaintenance,
  type Store,
} from '../src/index.ts'
import { type Fixture, insertDestination, insertTenant, openFixture } from './delivery/fixture.ts'

const HOUR_MS = 60 * 60 * 1000
const SECRET = 'a secret that is long enough for a test'

interface TestTenant {
  readonly id: string
  readonly uid: string
  readonly destinationUid: string
}

describe('the signing keys of a tenant', () => {
  let fixture: Fixture
  let store: Store
  let tenant: TestTenant
  let made = 0

  beforeAll(async () => {
    fixture = await openFixture()
    ;({ store } = fixture)
  })

  beforeEach(async () => {
    tenant = await makeTenant(`tenant-${++made}`)
  })

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]()
  })

  const makeTenant = async (id: string): Promise<TestTenant> => {
    const uid = await insertTenant(store, id)
    return { id, uid, destinationUid: await insertDestination(store, uid) }
  }

  const published = async (through = store, makesMissing = true): Promise<string[]> => {
    const sets = await readPublicKeys(through, [tenant.id], { makesMissing })
    return (sets.get(tenant.id) ?? []).map(({ kid }) => kid)
  }

  const rotate = async (previousInvalidAtMs?: number): Promise<string[]> => {
    const answer = await rotateSigningKeys(store, {
      tenantId: tenant.id,
      makesMissing: true,
      ...(previousInvalidAtMs === undefined ? {} : { previousInvalidAtMs }),
    })
    return answer.kind === 'rotated' ? answer.keys.map(({ kid }) => kid) : []
  }

  const read = async (through = store): Promise<DeliveryDestination | undefined> => {
    const signedTypes = ['webhook']
    const { destinations } = await readDestinationsForDelivery(through, [tenant.destinationUid], {
      signedTypes,
    })
    return destinations[0]
  }

  const signing = async (through = store): Promise<readonly SigningKey[]> =>
    (await read(through))?.signingKeys ?? []

  const countRows = async (): Promise<number> => {
    const { rowCount } = await store.pools.query.query(
      'select from tenant_signing_keys where tenant_uid = $1',
      [tenant.uid],
    )
    return rowCount ?? 0
  }

  const isSomebodyWaiting = async (): Promise<boolean> => {
    const { rowCount } = await store.pools.query.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount === 1
  }

  describe('when they are first needed', () => {
    it('are one key, however many deliverers and apis need it at once', async () => {
      const other = openAnother(fixture, [SECRET])
      const needs = Array.from({ length: 1000 }, async (_, i) => {
        const through = i % 2 === 0 ? store : other
        return i % 3 === 0 ? await published(through) : (await signing(through)).map((k) => k.kid)
      })

      const seen = new Set((await Promise.all(needs)).map((kids) => kids.join()))
      await other.close()

      expect(seen.size).toBe(1)
      expect([...seen][0]).toMatch(/^[\w-]{43}$/)
      expect(await countRows()).toBe(1)
    })

    it('are made for many tenants at once, in whatever order these are asked for', async () => {
      const tenants = await Promise.all(
        Array.from({ length: 20 }, (_, i) => makeTenant(`${tenant.id}-${i}`)),
      )
      const uids = tenants.map(({ destinationUid }) => destinationUid)
      const orders = [uids, uids.toReversed(), uids.toSorted(), uids.toSorted().toReversed()]

      const reads = await Promise.all(
        orders.map((order) =>
          readDestinationsForDelivery(store, order, { signedTypes: ['webhook'] }),
        ),
      )

      const seen = reads.map(({ destinations }) =>
        destinations.map(({ tenantId, signingKeys }) => `${tenantId} ${signingKeys?.[0]?.kid}`),
      )
      const [first = []] = seen
      expect(first).toHaveLength(20)
      for (const each of seen) expect(each.toSorted()).toEqual(first.toSorted())
    })

    it('are waited for by whoever needs them while a rotation makes them', async () => {
      const rotation = await store.pools.query.connect()
      await rotation.query('begin')
      await rotation.query('select from tenants where uid = $1 for update', [tenant.uid])

      const needed = signing()
      await waitFor(isSomebodyWaiting, { what: 'the deliverer to wait' })
      // Would be a deadlock if the deliverer had inserted a key before it waited.
      await rotation.query(
        `insert into tenant_signing_keys
           (uid, tenant_uid, kid, public_key, private_key, created_at)
         values ($1, $2, 'rotated', $3, $4, now())`,
        [
          tenant.uid,
          tenant.uid,
          Buffer.alloc(32),
          store.cipher.encrypt({ private_key: '' }, tenant.uid),
        ],
      )
      await rotation.query('commit')
      rotation.release()

      expect((await needed).map(({ kid }) => kid)).toEqual(['rotated'])
    })

    it('do not get into the way of rotations that run at the same time', async () => {
      const races = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? rotate() : signing()))
      await expect(Promise.all(races)).resolves.toHaveLength(60)
      expect(await countRows()).toBe(5)
    })

    it('are not made for a tenant that does not exist, nor when none shall be made', async () => {
      expect(await readPublicKeys(store, ['nobody'], { makesMissing: true })).toEqual(new Map())
      expect(await published(store, false)).toEqual([])
      expect(await rotateSigningKeys(store, { tenantId: tenant.id, makesMissing: false })).toEqual({
        kind: 'no_keys',
      })
      expect(await rotateSigningKeys(store, { tenantId: 'nobody', makesMissing: true })).toEqual({
        kind: 'tenant_not_found',
      })
      expect(await countRows()).toBe(0)
    })

    it('are not made for destinations of types that do not sign', async () => {
      const { destinations } = await readDestinationsForDelivery(store, [tenant.destinationUid])
      expect(destinations[0]).not.toHaveProperty('signingKeys')
      expect(await countRows()).toBe(0)
    })
  })

  it('are a pair: what signs is the private half of what is published', async () => {
    const sets = await readPublicKeys(store, [tenant.id], { makesMissing: true })
    const [shown] = sets.get(tenant.id) ?? []
    const [key] = await signing()

    const x = publicHalf(key?.privateKey)
    expect(shown?.publicKey.toString('base64url')).toBe(x)
    expect(shown?.publicKey).toHaveLength(32)
    expect(shown?.kid).toBe(hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url'))
    expect(key).toMatchObject({ kid: shown?.kid, invalidAtMs: null })
  })

  describe('at rest', () => {
    it('are encrypted, each for its own row', async () => {
      await rotate()
      await rotate()
      const keys = await signing()
      const { rows } = await store.pools.query.query<{ uid: string; bytes: Buffer }>(
        `select uid, convert_to(k::text, 'UTF8') || private_key as bytes
         from tenant_signing_keys k where tenant_uid = $1`,
        [tenant.uid],
      )
      const text = Buffer.concat(rows.map(({ bytes }) => bytes)).toString('latin1')
      for (const { privateKey } of keys) {
        // The seed is the last 32 bytes of PKCS #8.
        for (const secret of [privateKey, privateKey.subarray(-32)]) {
          for (const encoding of ['latin1', 'base64', 'hex'] as const) {
            expect(text.includes(secret.toString(encoding))).toBe(false)
          }
        }
      }

      // The ciphertext of one row in the place of another's.
      await store.pools.query.query(
        `update tenant_signing_keys k set private_key = o.private_key
         from tenant_signing_keys o where o.tenant_uid = $1 and o.invalid_at is null
           and k.tenant_uid = $1 and k.invalid_at is not null`,
        [tenant.uid],
      )
      expect(await read()).toBeUndefined()
    })

    it('stay readable while the encryption secret is exchanged, and are faults of ours without it', async () => {
      const before = await signing()
      const both = openAnother(fixture, ['another secret, long enough for tests', SECRET])
      expect(await signing(both)).toEqual(before)

      const without = openAnother(fixture, ['another secret, long enough for tests'])
      // Otherwise the credentials would be the fault.
      await store.pools.query.query('update destinations set credentials = $2 where uid = $1', [
        tenant.destinationUid,
        without.cipher.encrypt({ secret: 'whsec_x' }, tenant.destinationUid),
      ])
      const uids = [tenant.destinationUid]
      const answer = await readDestinationsForDelivery(without, uids, { signedTypes: ['webhook'] })
      expect(answer).toEqual({ destinations: [], undecryptable: uids })
      const unsigned = await readDestinationsForDelivery(without, uids)
      expect(unsigned.undecryptable).toEqual([])
      await both.close()
      await without.close()
    })
  })

  describe('when they are rotated', () => {
    it('sign both, the new one first, and the old one for 24 hours', async () => {
      const [old] = await published()
      const rotatedAtMs = Date.now()
      const kids = await rotate()

      expect(kids).toEqual([expect.not.stringMatching(`^${old}$`), old])
      expect(await published()).toEqual(kids)
      const [current, previous] = await signing()
      expect(current).toMatchObject({ kid: kids[0], invalidAtMs: null })
      expect(previous?.kid).toBe(old)
      expect(previous?.invalidAtMs).toBeGreaterThan(rotatedAtMs + 24 * HOUR_MS - 10_000)
      expect(previous?.invalidAtMs).toBeLessThan(rotatedAtMs + 24 * HOUR_MS + 10_000)
    })

    it('keep the windows that are open, and are five at most', async () => {
      const seen: string[] = []
      for (let i = 0; i < 7; i++) seen.unshift((await rotate())[0] ?? '')

      expect(await published()).toEqual(seen.slice(0, 5))
      expect((await signing()).map(({ kid }) => kid)).toEqual(seen.slice(0, 5))
      expect(await countRows()).toBe(5)
    })

    it('end all at once when the caller says now or a past time', async () => {
      await rotate()
      await rotate()
      const kids = await rotate(Date.now() - 5 * HOUR_MS)
      expect(kids).toHaveLength(1)
      expect(await countRows()).toBe(1)
    })

    it('end when the caller says, those that end sooner sooner', async () => {
      await published()
      await rotate(Date.now() + HOUR_MS)
      await rotate(Date.now() + 2 * HOUR_MS)
      const ends = (await signing()).map(({ invalidAtMs }) =>
        invalidAtMs === null ? null : Math.round((invalidAtMs - Date.now()) / HOUR_MS),
      )
      expect(ends).toEqual([null, 2, 1])
    })

    it('neither sign nor are published once their window has ended, and do not stay', async () => {
      await published()
      const [current = ''] = await rotate(Date.now() + 300)
      expect(await published()).toHaveLength(2)

      await waitFor(async () => (await published()).length === 1, { what: 'the window to end' })
      expect(await published()).toEqual([current])
      expect((await signing()).map(({ kid }) => kid)).toEqual([current])
      expect(await countRows()).toBe(2)
      await runMaintenance(store, 30)
      expect(await countRows()).toBe(1)
    })

    it('are one after the other, also when all come at once', async () => {
      await published()
      const answers = await Promise.all(Array.from({ length: 12 }, () => rotate()))
      expect(new Set(answers.map(([current]) => current)).size).toBe(12)
      const currents = answers.map(([current]) => current)
      for (const kid of await published()) expect(currents).toContain(kid)
      expect(await countRows()).toBe(5)
    })

    it('raise the version of every destination, and nothing that owners or publishes see', async () => {
      const second = await insertDestination(store, tenant.uid)
      const uids = [tenant.destinationUid, second]
      const seen = async (): Promise<unknown> => {
        const { rows } = await store.pools.query.query(
          `select d.updated_at, t.updated_at as tenant_updated_at, t.routing_version
           from destinations d join tenants t on t.uid = d.tenant_uid
           where t.uid = $1 order by d.uid`,
          [tenant.uid],
        )
        return rows
      }
      const before = { versions: await readDestinationVersions(store, uids), seen: await seen() }

      const answer = await rotateSigningKeys(store, { tenantId: tenant.id, makesMissing: true })

      expect(answer).toMatchObject({ kind: 'rotated' })
      expect(answer.kind === 'rotated' ? answer.destinationUids.toSorted() : []).toEqual(
        uids.toSorted(),
      )
      const after = await readDestinationVersions(store, uids)
      for (const uid of uids) expect(after.get(uid)).toBe((before.versions.get(uid) ?? 0) + 1)
      expect(await seen()).toEqual(before.seen)
    })

    it('let what was used before them disable nothing, and what is used now everything', async () => {
      const used = (await read())?.version ?? 0
      await rotate()
      expect(await disableUsedVersion(store, tenant.destinationUid, used)).toBe(false)
      const now = (await read())?.version ?? 0
      expect(await disableUsedVersion(store, tenant.destinationUid, now)).toBe(true)
    })
  })

  it('go with their tenant: one that is made again under its id has new ones', async () => {
    const old = await published()
    await deleteTenant(store, tenant.id)
    expect(await countRows()).toBe(0)
    expect(await published()).toEqual([])

    tenant = await makeTenant(tenant.id)
    const [kid] = await published()
    expect(kid).toBeDefined()
    expect(old).not.toContain(kid)
  })

  it('are not made by a deliverer for a tenant that is being deleted', async () => {
    await Promise.all([
      deleteTenant(store, tenant.id),
      ...Array.from({ length: 10 }, () => signing()),
    ])
    expect(await countRows()).toBe(0)
  })
})

function publicHalf(privateKey: Buffer | undefined): string | undefined {
  const key = createPrivateKey({ key: privateKey ?? '', format: 'der', type: 'pkcs8' })
  return createPublicKey(key).export({ format: 'jwk' }).x
}

/** The store of another process, on the same database. */
function openAnother({ database }: Fixture, encryptionSecrets: readonly string[]): Store {
  return openStore({
    url: database.url,
    applicationName: 'another process',
    encryptionSecrets,
    log: silentLog,
  })
}
