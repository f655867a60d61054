import { InProcessJobQueue } from '@postrider/broker'
import { readSettings } from '@postrider/config'
import { createRegistry } from '@postrider/destinations'
import { InProcessState } from '@postrider/state'
import { openStore, type Store } from '@postrider/store'
import { silentLog } from '@postrider/testkit'
import request, { type Test } from 'supertest'
import { type Api, createApi } from '../src/index.ts'
import { Contract } from './contract/contract.ts'

export const API_KEY = 'the-key-of-the-tests'
export const JWT_SECRET = 'a-secret-that-signs-the-tokens-of-tenants'

/** Asks as somebody; paths are relative to the base path. */
export interface Client {
  get(path: string): Test
  put(path: string, body?: object): Test
  post(path: string, body?: object): Test
  patch(path: string, body?: object): Test
  delete(path: string): Test
}

/**
 * The real api on a database, with in-process jobs and state; stopped when disposed. It asks as the
 * admin.
 */
export interface TestApi extends Client, AsyncDisposable {
  readonly api: Api
  readonly store: Store
  readonly state: InProcessState
  /** Asks as whoever has this token. */
  as(token: string): Client
  /** The token that the api issues for a tenant. */
  tokenOf(tenantId: string): Promise<string>
}

export interface TestApiOptions {
  readonly postgresUrl: string
  readonly env?: Readonly<Record<string, string>>
}

export function openApi({ postgresUrl, env }: TestApiOptions): TestApi {
  const { config, secrets } = readSettings(
    {
      POSTGRES_URL: postgresUrl,
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      API_KEY: `${API_KEY},the-key-before-that`,
      API_JWT_SECRET: JWT_SECRET,
      AES_ENCRYPTION_SECRET: 'a-secret-that-encrypts-the-credentials',
      DESTINATIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...env,
    },
    { mode: 'standalone' },
  )
  const log = silentLog
  const store = openStore({
    url: postgresUrl,
    applicationName: 'api tests',
    encryptionSecrets: secrets.encryptionSecrets,
    log,
  })
  const state = new InProcessState({ limits: config.runway, log })
  const jobs = new InProcessJobQueue({ log })
  const registry = createRegistry({
    ...config.destinations,
    version: 'test',
    log,
  })
  const api = createApi({ config, secrets, store, jobs, state, registry, log })
  const contract = new Contract(api.document)
  const as = (token: string): Client => clientOf(api, token, contract)
  const admin = as(API_KEY)
  return {
    api,
    store,
    state,
    ...admin,
    as,
    tokenOf: async (tenantId) => {
      const { body } = await admin.get(`/tenants/${tenantId}/token`).expect(200)
      return (body as { token: string }).token
    },
    [Symbol.asyncDispose]: async () => {
      await api.stop()
      await jobs.stop()
      await state.stop()
      await store.close()
    },
  }
}

/** Whatever it is answered must be as the document says. */
function clientOf(api: Api, token: string, contract: Contract): Client {
  const ask =
    (method: 'get' | 'put' | 'post' | 'patch' | 'delete') =>
    (path: string, body?: object): Test => {
      const sent = request(api.app)[method](`/api/v1${path}`).auth(token, { type: 'bearer' })
      const asked = sent.expect((answer) => {
        expect(contract.answerFaults({ method, path }, answer)).toEqual([])
      })
      return body === undefined ? asked : asked.send(body)
    }
  return {
    get: ask('get'),
    put: ask('put'),
    post: ask('post'),
    patch: ask('patch'),
    delete: ask('delete'),
  }
}

/** A webhook as a caller gives it; name what matters. */
export function webhook(given: object = {}): object {
  return { type: 'webhook', topics: '*', config: { url: 'http://127.0.0.1:9/hook' }, ...given }
}

let made = 0

/** Makes a tenant with an id of its own and answers with the id. */
export async function makeTenant(api: TestApi): Promise<string> {
  const id = `tenant-${process.pid}-${++made}`
  await api.put(`/tenants/${id}`).expect(201)
  return id
}
