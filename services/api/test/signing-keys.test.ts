import { createPublicKey } from 'node:crypto'
import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import request from 'supertest'
import { makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

const SIGNING = {
  DESTINATIONS_WEBHOOK_MODE: 'standard',
  DESTINATIONS_WEBHOOK_SIGNING: 'ed25519',
}

const YEARS = 'must be in the years 1970 to 9999'

interface Key {
  readonly kid: string
  readonly x: string
  readonly created_at: string
  readonly invalid_at: string | null
}

describe('the signing keys of a tenant', () => {
  let database: TestDatabase
  let api: TestApi
  let tenant: string

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url, env: SIGNING })
  })

  beforeEach(async () => {
    tenant = await makeTenant(api)
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const published = async (): Promise<Key[]> =>
    keysOf(await api.get(`/tenants/${tenant}/jwks.json`).expect(200))
  const rotate = async (body?: object): Promise<Key[]> =>
    keysOf(await api.post(`/tenants/${tenant}/signing-keys/rotate`, body).expect(200))
  const countKeys = async (): Promise<number> => {
    const { rowCount } = await api.store.pools.query.query('select from tenant_signing_keys')
    return rowCount ?? 0
  }
  /** As somebody without any key or token. */
  const askAsStranger = (path: string, ifNoneMatch = ''): request.Test =>
    request(api.api.app).get(`/api/v1${path}`).set('if-none-match', ifNoneMatch)

  describe('published', () => {
    it('are a JSON Web Key Set that everybody may have, and keep for an hour', async () => {
      const { body, headers } = await askAsStranger(`/tenants/${tenant}/jwks.json`).expect(200)
      expect(body).toEqual({
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: expect.stringMatching(/^[\w-]{43}$/),
            kid: expect.stringMatching(/^[\w-]{43}$/),
            use: 'sig',
            alg: 'EdDSA',
          },
        ],
      })
      expect(headers['cache-control']).toBe('public, max-age=3600')
      const [jwk = {}] = (body as { keys: Record<string, string>[] }).keys
      expect(createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyType).toBe('ed25519')
    })

    it('are sent again only when they are others', async () => {
      const path = `/tenants/${tenant}/jwks.json`
      const { headers } = await askAsStranger(path).expect(200)
      const etag = String(headers['etag'])

      const unchanged = await askAsStranger(path, `"other", ${etag}`).expect(304)
      expect(unchanged.text).toBe('')
      expect(unchanged.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=3600' })

      await rotate()
      const changed = await askAsStranger(path, etag).expect(200)
      expect(changed.headers['etag']).not.toBe(etag)
    })

    it('are one key each, however many strangers ask for them at once', async () => {
      const others = await Promise.all([makeTenant(api), makeTenant(api), makeTenant(api)])
      const before = await countKeys()
      const asked = Array.from({ length: 200 }, (_, i) => others[i % 3] ?? '')
      const answers = await Promise.all(
        asked.map(async (id) =>
          keysOf(await askAsStranger(`/tenants/${id}/jwks.json`).expect(200)),
        ),
      )
      expect(new Set(answers.map(([key]) => key?.kid)).size).toBe(3)
      expect(await countKeys()).toBe(before + 3)
    })

    it('leave nothing behind for ids that no tenant has', async () => {
      const before = await countKeys()
      for (const id of ['nobody', 'nobody-else']) {
        const { body, headers } = await askAsStranger(`/tenants/${id}/jwks.json`).expect(404)
        expect(body).toMatchObject({ code: 'signing_keys_not_found' })
        expect(headers['cache-control']).toBe('no-store')
      }
      expect(await countKeys()).toBe(before)
    })

    it('are gone with their tenant, and others when it is made again', async () => {
      const old = await published()
      await api.delete(`/tenants/${tenant}`).expect(200)
      await api.get(`/tenants/${tenant}/jwks.json`).expect(404)
      await api.put(`/tenants/${tenant}`).expect(201)
      const [key] = await published()
      expect(old.map(({ kid }) => kid)).not.toContain(key?.kid)
    })
  })

  describe('rotated', () => {
    it('are the new one, and the old one for 24 hours', async () => {
      const [old] = await published()
      const keys = await rotate()

      expect(keys).toMatchObject([{ invalid_at: null }, { kid: old?.kid }])
      expect(hoursUntil(keys[1]?.invalid_at)).toBe(24)
      expect(keys).toMatchObject(await published())
    })

    it('are the new one alone when the old one is revoked', async () => {
      const [old] = await published()
      const keys = await rotate({ previous_key_invalid_at: '2020-02-02T02:02:02Z' })
      expect(keys).toHaveLength(1)
      expect(keys[0]?.kid).not.toBe(old?.kid)
    })

    it('are the old one, too, until the time that was given', async () => {
      await published()
      const until = new Date(Date.now() + 3 * HOUR_MS).toISOString()
      const keys = await rotate({ previous_key_invalid_at: until })
      expect(keys.map(({ invalid_at: at }) => at)).toEqual([null, until])
    })

    it('are one when there was none', async () => {
      expect(await rotate({})).toHaveLength(1)
    })

    it('change nothing that is shown of the destinations, and are announced for each', async () => {
      for (const id of ['one', 'two']) {
        await api.post(`/tenants/${tenant}/destinations`, webhook({ id })).expect(201)
      }
      const { body: before } = await api.get(`/tenants/${tenant}/destinations`).expect(200)
      const announced: string[] = []
      const forget = api.state.onAnnouncement(({ destinationUid }) =>
        announced.push(destinationUid),
      )

      await rotate()

      forget()
      await api.get(`/tenants/${tenant}/destinations`).expect(200, before as object)
      expect(new Set(announced).size).toBe(2)
    })

    it.each([
      ['no time', 'tomorrow', 'must be a time of RFC 3339'],
      ['a day that does not exist', '2026-02-30T00:00:00Z', 'must be a time of RFC 3339'],
      ['a time that cannot be told in UTC', '9999-12-31T23:59:59-01:00', YEARS],
      ['a time before there were keys', '0000-01-01T00:00:00Z', YEARS],
      ['a number', 5, 'must be a string'],
      ['null', null, 'must be a string'],
    ])('are not, with %s in place of the time', async (_, time, fault) => {
      const { body } = await api
        .post(`/tenants/${tenant}/signing-keys/rotate`, { previous_key_invalid_at: time })
        .expect(422)
      expect((body as { data: string[] }).data).toEqual([`previous_key_invalid_at ${fault}`])
    })

    it.each(['1970-01-01T00:00:00Z', '2016-12-31T23:59:60Z', '9999-12-31T23:59:59.999Z'])(
      'are, with a time as far away as %s',
      async (time) => {
        expect(await rotate({ previous_key_invalid_at: time })).not.toEqual([])
        expect(await published()).not.toEqual([])
      },
    )
  })

  describe('where nobody signs with them', () => {
    let unsigned: TestApi

    beforeAll(() => {
      unsigned = openApi({ postgresUrl: database.url })
    })

    afterAll(() => unsigned[Symbol.asyncDispose]())

    it('are not made, and one cannot tell by them which tenants there are', async () => {
      const before = await countKeys()
      const answers = [tenant, 'nobody'].map(async (id) => {
        const { status, body } = await unsigned.get(`/tenants/${id}/jwks.json`)
        return { status, text: JSON.stringify(body).replace(id, '…') }
      })
      const [known, unknown] = await Promise.all(answers)
      expect(known).toEqual(unknown)
      expect(known?.status).toBe(404)
      const { body } = await unsigned.post(`/tenants/${tenant}/signing-keys/rotate`).expect(404)
      expect(body).toMatchObject({ code: 'signing_keys_not_found' })
      expect(await countKeys()).toBe(before)
    })

    it('are published and rotated if they are there from before', async () => {
      const [key] = await published()
      const { body } = await unsigned.get(`/tenants/${tenant}/jwks.json`).expect(200)
      expect(body).toEqual({ keys: [key] })
      await unsigned.post(`/tenants/${tenant}/signing-keys/rotate`).expect(200)
      expect(await published()).toHaveLength(2)
    })
  })
})

const HOUR_MS = 60 * 60 * 1000

function keysOf({ body }: { readonly body: unknown }): Key[] {
  return (body as { keys: Key[] }).keys
}

function hoursUntil(time: string | null | undefined): number {
  return Math.round((Date.parse(time ?? '') - Date.now()) / HOUR_MS)
}
