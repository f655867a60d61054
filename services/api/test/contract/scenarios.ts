import type { ErrorCode } from '../../src/http/errors.ts'
import type { Located } from './contract.ts'
import { exampleRequest, type ExampleRequest } from './example-request.ts'
import { EXAMPLE } from './world.ts'
import type { TestApi } from '../open-api.ts'

/** How an operation is brought to one of its documented answers. */
export interface Scenario {
  /** Default: a service that works. `broken`: on an empty database; `cut off`: without Postgres. */
  readonly service?: 'broken' | 'cut off'
  /** Default: the admin. */
  readonly caller?: 'nobody' | 'acme' | 'stranger'
  /** What must have happened to the example world before. */
  readonly before?: (api: TestApi) => Promise<unknown>
  readonly request: ExampleRequest
  /** Besides those of every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What an operation can answer, by its document. */
export interface Outcome {
  readonly status: number
  /** Of errors. */
  readonly code?: ErrorCode
}

/** Operations that an admin gets an answer to without Postgres; for a tenant, its token is looked up. */
const WITHOUT_STORE = new Set(['listTopics', 'listDestinationTypes', 'getDestinationType'])

/**
 * The way to an answer.
 *
 * @throws {Error} When none is known: a new code, or a second success, needs a line below
 */
export function scenarioFor(located: Located, outcome: Outcome): Scenario {
  const request = exampleRequest(located)
  const { operationId } = located.operation
  const special = SPECIAL[`${operationId} ${outcome.code ?? outcome.status}`]
  if (special !== undefined) return special(request)
  if (outcome.code === undefined) return { request }
  const general = GENERAL[outcome.code]
  if (general === undefined) throw new Error(`no way to ${outcome.code} of ${operationId} is known`)
  return general(request, operationId)
}

const tenant = `/tenants/${EXAMPLE.tenant}`

const SPECIAL: Readonly<Record<string, (request: ExampleRequest) => Scenario>> = {
  'putTenant 201': (request) => ({ request, before: (api) => api.delete(tenant) }),
  'getReadiness 503': (request) => ({ request, service: 'cut off' }),
  'createDestination destination_exists': (request) => ({
    request: request.withMember('id', EXAMPLE.destination),
  }),
  'createDestination destination_limit_reached': (request) => ({
    request,
    before: (api) => api.post(`${tenant}/destinations`, request.body as object),
  }),
  // Of an event that is a duplicate nothing is looked up.
  'publishEvent destination_not_found': (request) => ({
    request: request.withMember('id', 'evt_new').withMember('destination_id', 'none'),
  }),
  'publishEvent event_id_conflict': (request) => ({ request: request.withMember('data', {}) }),
  'retryDelivery destination_disabled': (request) => ({
    request,
    before: (api) => api.put(`${tenant}/destinations/${EXAMPLE.destination}/disable`),
  }),
  'getPublicKeys 304': (request) => ({ request, headers: { 'if-none-match': '*' } }),
  'rotateSigningKeys signing_keys_not_found': (request) => ({
    request,
    before: (api) => api.store.pools.query.query('delete from tenant_signing_keys'),
  }),
}

type General = (request: ExampleRequest, operationId: string) => Scenario

const GENERAL: Readonly<Partial<Record<ErrorCode, General>>> = {
  invalid_json: (request) => ({ request: request.withBytes('{') }),
  unauthorized: (request) => ({ request, caller: 'nobody' }),
  // The example tenant may not do what is the admin's; another one may not touch the example tenant.
  forbidden: (request) => ({ request: request.withQueryOfTenant(), caller: 'stranger' }),
  tenant_not_found: (request) => ({ request: request.withValue('tenant_id', 'nobody') }),
  destination_not_found: (request) => ({ request: request.withValue('destination_id', 'none') }),
  destination_type_not_found: (request) => ({ request: request.withValue('type', 'pigeon') }),
  event_not_found: (request) => ({ request: request.withValue('event_id', 'none') }),
  signing_keys_not_found: (request) => ({ request: request.withValue('tenant_id', 'nobody') }),
  attempt_not_found: (request) => ({ request: request.withValue('attempt_id', 'none') }),
  not_found: (request) => ({ request: request.withRawParameter('%ff') }),
  payload_too_large: (request) => ({ request: request.withBytes(' '.repeat(1024 * 1024 + 1)) }),
  unsupported_media_type: (request) => ({ request: request.withType('text/plain') }),
  validation_error: (request) => ({ request: request.withQuery('colour=red') }),
  internal_error: (request, operationId) => ({
    request,
    service: 'broken',
    ...(WITHOUT_STORE.has(operationId) ? { caller: 'acme' } : {}),
  }),
  unavailable: (request, operationId) => ({
    request,
    service: 'cut off',
    ...(WITHOUT_STORE.has(operationId) ? { caller: 'acme' } : {}),
  }),
}
