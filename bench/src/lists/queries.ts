import {
  type AttemptFilter,
  type DestinationEventFilter,
  type EventFilter,
  listAttempts,
  listDestinationEvents,
  listEvents,
  type PageRequest,
  type Store,
} from '@postrider/store'
import { FILLED, startOfDay } from './fill.ts'

/** One list with some of its filters. */
export interface Query {
  readonly list: string
  /** Their names; none: the whole list. */
  readonly filters: readonly string[]
  /** Reads a page and answers with its rows. */
  read(store: Store, request: PageRequest): Promise<number>
}

/** A value of a filter. Two of one `kind` are not used together. */
interface Variant<Filter> {
  readonly kind: string
  readonly name: string
  readonly part: Partial<Filter>
}

interface List<Filter> {
  readonly name: string
  /** The list without any filter; what it is a list of counts as a filter of its own. */
  readonly base: Filter
  readonly variants: readonly Variant<Filter>[]
  readonly read: (store: Store, filter: Filter, request: PageRequest) => Promise<number>
}

/** Every list, without a filter, with each, and with each two. */
export function allQueries(): readonly Query[] {
  return [
    ...queriesOf(EVENTS),
    ...queriesOf(TENANT_EVENTS),
    ...queriesOf(DESTINATION_EVENTS),
    ...queriesOf(ATTEMPTS),
    ...queriesOf(DESTINATION_ATTEMPTS),
  ]
}

function queriesOf<Filter>({ name, base, variants, read }: List<Filter>): Query[] {
  const query = (...used: readonly Variant<Filter>[]): Query => {
    const filter = Object.assign({}, base, ...used.map(({ part }) => part)) as Filter
    return {
      list: name,
      filters: used.map((variant) => variant.name),
      read: (store, request) => read(store, filter, request),
    }
  }
  const pairs = variants.flatMap((one, i) =>
    variants.slice(i + 1).flatMap((other) => (one.kind === other.kind ? [] : [query(one, other)])),
  )
  return [query(), ...variants.map((each) => query(each)), ...pairs]
}

const TIME = [
  { operator: 'gte', time: startOfDay(2) },
  { operator: 'lt', time: startOfDay(3) },
] as const

const ANY_EVENT: EventFilter = {
  tenantIds: null,
  destinationIds: null,
  deliveryStatus: null,
  topics: null,
  ids: null,
  status: null,
  bounds: [],
}

const ANY_ATTEMPT: AttemptFilter = {
  tenantIds: null,
  destinationIds: null,
  eventIds: null,
  uids: null,
  topics: null,
  status: null,
  bounds: [],
}

const OF_DESTINATION = {
  tenantIds: [FILLED.tenantId],
  destinationIds: [FILLED.destinationId],
}

interface Common {
  readonly topics: EventFilter['topics']
  readonly bounds: EventFilter['bounds']
}

const COMMON: readonly Variant<Common>[] = [
  { kind: 'topic', name: 'topic', part: { topics: [FILLED.topic] } },
  { kind: 'topic', name: 'topic (rare)', part: { topics: [FILLED.rareTopic] } },
  { kind: 'time', name: 'time', part: { bounds: TIME } },
]

interface Owners {
  readonly tenantIds: EventFilter['tenantIds']
  readonly destinationIds: EventFilter['destinationIds']
}

const TENANTS: readonly Variant<Owners>[] = [
  { kind: 'tenant', name: 'tenant_id', part: { tenantIds: [FILLED.tenantId] } },
  {
    kind: 'tenant',
    name: 'tenant_id ×3',
    part: { tenantIds: [FILLED.tenantId, ...FILLED.otherTenantIds] },
  },
]

const DESTINATIONS: readonly Variant<Owners>[] = [
  {
    kind: 'destination',
    name: 'destination_id',
    part: { destinationIds: [FILLED.destinationId] },
  },
  {
    kind: 'destination',
    name: 'destination_id ×100',
    part: { destinationIds: [FILLED.sharedDestinationId] },
  },
]

const EVENT_VARIANTS: readonly Variant<EventFilter>[] = [
  ...DESTINATIONS,
  ...COMMON,
  { kind: 'id', name: 'id', part: { ids: [FILLED.eventId] } },
  ...(['success', 'failed', 'pending', 'skipped', 'unmatched'] as const).map((status) => ({
    kind: 'status',
    name: `status=${status}`,
    part: { status },
  })),
]

const EVENTS: List<EventFilter> = {
  name: 'events',
  base: ANY_EVENT,
  variants: [...TENANTS, ...EVENT_VARIANTS],
  read: async (store, filter, request) => (await listEvents(store, filter, request)).items.length,
}

const TENANT_EVENTS: List<EventFilter> = {
  ...EVENTS,
  name: 'events of a tenant',
  base: { ...ANY_EVENT, tenantIds: [FILLED.tenantId] },
  variants: EVENT_VARIANTS,
}

const DESTINATION_EVENTS: List<DestinationEventFilter> = {
  name: 'events of a destination',
  base: { topics: null, ids: null, deliveryStatus: null, bounds: [] },
  variants: [
    ...COMMON,
    { kind: 'id', name: 'id', part: { ids: [FILLED.eventId] } },
    ...(['success', 'failed', 'pending', 'skipped'] as const).map((deliveryStatus) => ({
      kind: 'status',
      name: `status=${deliveryStatus}`,
      part: { deliveryStatus },
    })),
  ],
  read: async (store, filter, request) => {
    const name = { tenantId: FILLED.tenantId, id: FILLED.destinationId }
    const answer = await listDestinationEvents(store, name, filter, request)
    if (answer.kind !== 'found') throw new Error('the destination is not there')
    return answer.page.items.length
  },
}

const ATTEMPT_VARIANTS: readonly Variant<AttemptFilter>[] = [
  ...COMMON,
  { kind: 'event', name: 'event_id', part: { eventIds: [FILLED.eventId] } },
  ...(['success', 'failed'] as const).map((status) => ({
    kind: 'status',
    name: `status=${status}`,
    part: { status },
  })),
]

const ATTEMPTS: List<AttemptFilter> = {
  name: 'attempts',
  base: ANY_ATTEMPT,
  variants: [...TENANTS, ...DESTINATIONS, ...ATTEMPT_VARIANTS],
  read: async (store, filter, request) => {
    const parts = { response: true, event: 'with data' } as const
    return (await listAttempts(store, filter, parts, request)).items.length
  },
}

const DESTINATION_ATTEMPTS: List<AttemptFilter> = {
  ...ATTEMPTS,
  name: 'attempts of a destination',
  base: { ...ANY_ATTEMPT, ...OF_DESTINATION },
  variants: ATTEMPT_VARIANTS,
}
