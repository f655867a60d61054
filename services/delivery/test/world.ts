import { type Job, newUid } from '@postrider/common'
import { openStore, type Store } from '@postrider/store'
import {
  createTestDatabase,
  type DeliveryRow,
  deliveryRow,
  type DestinationRow,
  destinationRow,
  type EventRow,
  eventRow,
  insertRows,
  type Receiver,
  silentLog,
  startReceiver,
  type TenantRow,
  tenantRow,
  type TestDatabase,
  waitFor,
} from '@postrider/testkit'

export const ENCRYPTION_SECRET = 'a secret of at least thirty-two characters'

/** What a deliverer works on: a database of its own and somebody who receives. */
export interface World extends AsyncDisposable {
  readonly database: TestDatabase
  /** Straight to Postgres, whatever is done to the connections of the deliverer under test. */
  readonly store: Store
  readonly receiver: Receiver
  /** Ends it with the world, before what the world itself is made of; the last given ends first. */
  own(thing: { stop(): Promise<void> }): void
}

export async function openWorld(): Promise<World> {
  const database = await createTestDatabase()
  const store = openStore({
    url: database.url,
    applicationName: 'delivery tests',
    encryptionSecrets: [ENCRYPTION_SECRET],
    log: silentLog,
  })
  const receiver = await startReceiver()
  const owned: { stop(): Promise<void> }[] = []
  return {
    database,
    store,
    receiver,
    own: (thing) => void owned.push(thing),
    [Symbol.asyncDispose]: async () => {
      // First, so that what still waits for an answer need not wait any longer.
      await receiver.stop()
      for (const thing of owned.toReversed()) await thing.stop()
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

export async function insertTenant(
  world: World,
  given: Partial<TenantRow> = {},
): Promise<TenantRow> {
  const tenant = tenantRow(given)
  await insertRows(world.store.pools.query, { tenants: [tenant] })
  return tenant
}

export interface WebhookOptions {
  /** Default: one of its own. */
  readonly tenant?: TenantRow
  readonly id?: string
  /** Default: the receiver of the world. */
  readonly url?: string
  readonly secret?: string
  /** What the credentials are encrypted with. Default: what the deliverers can decrypt. */
  readonly cipher?: Store['cipher']
}

/** A webhook destination as the API would have written it. */
export async function insertWebhook(
  world: World,
  options: WebhookOptions = {},
): Promise<DestinationRow> {
  const { store, receiver } = world
  const {
    tenant = await insertTenant(world),
    secret = 'whsec_first',
    cipher = store.cipher,
  } = options
  const uid = newUid()
  const destination = destinationRow({ uid, tenantUid: tenant.uid, id: options.id ?? `des_${uid}` })
  await insertRows(store.pools.query, { destinations: [destination] })
  await store.pools.query.query(
    'update destinations set config = $2, credentials = $3 where uid = $1',
    [uid, { url: options.url ?? receiver.url }, cipher.encrypt({ secret }, uid)],
  )
  return destination
}

/** Changes a destination as the API would: with a new version. */
export async function changeWebhook(
  world: World,
  { uid }: DestinationRow,
  change: {
    readonly url?: string
    readonly secret?: string
    readonly isDisabled?: boolean
    readonly isDeleted?: boolean
  },
): Promise<void> {
  const { url, secret, isDisabled, isDeleted } = change
  await world.store.pools.query.query(
    `update destinations set version = version + 1,
       config = coalesce($2, config), credentials = coalesce($3, credentials),
       disabled_at = case $4::boolean when true then now() when false then null else disabled_at end,
       deleted_at = case $5::boolean when true then now() else deleted_at end
     where uid = $1`,
    [
      uid,
      url === undefined ? null : { url },
      secret === undefined ? null : world.store.cipher.encrypt({ secret }, uid),
      isDisabled ?? null,
      isDeleted ?? null,
    ],
  )
}

/** A delivery of a test, and the job for it as its row has it. */
export interface TestDelivery {
  readonly event: EventRow
  readonly destinationUid: string
  readonly job: Job
}

/** The lease of the jobs that tests hand out; see `startDelivery`. */
export const LEASE_MS = 6000

export interface DeliveryOptions {
  /** Default: a webhook of its own. */
  readonly destination?: DestinationRow
  readonly event?: Partial<EventRow>
  readonly row?: Partial<Omit<DeliveryRow, 'dueAt'>>
  /** From now; negative: in the past. Default: a full lease for a job that is out, else now. */
  readonly dueInMs?: number
}

/** An event with one delivery. By default its first job is out, and nobody has begun with it. */
export async function insertDelivery(
  world: World,
  options: DeliveryOptions = {},
): Promise<TestDelivery> {
  const [delivery] = await insertDeliveries(world, 1, options)
  if (delivery === undefined) throw new Error('a delivery was inserted')
  return delivery
}

/** That many events with one delivery each, to the same destination. */
export async function insertDeliveries(
  world: World,
  count: number,
  options: DeliveryOptions = {},
): Promise<TestDelivery[]> {
  const { destination = await insertWebhook(world), row: given } = options
  const isLeased = given?.isLeased ?? true
  const dueAt = new Date(Date.now() + (options.dueInMs ?? (isLeased ? LEASE_MS : 0)))
  const rows = Array.from({ length: count }, () =>
    deliveryRow({
      event: eventRow({
        tenantUid: destination.tenantUid,
        data: '{"hello":"world"}',
        ...options.event,
      }),
      destinationUid: destination.uid,
      status: 'pending',
      dueAt,
      isLeased,
      dispatch: isLeased ? 1 : 0,
      attempts: 0,
      tries: 0,
      openSince: new Date(),
      ...given,
    }),
  )
  await insertRows(world.store.pools.query, {
    events: rows.map(({ event }) => event),
    deliveries: rows,
  })
  return rows.map((row) => ({
    event: row.event,
    destinationUid: row.destinationUid,
    job: jobOf(row, dueAt),
  }))
}

function jobOf({ event, destinationUid, dispatch }: DeliveryRow, leaseEnd: Date): Job {
  return {
    queue: 'fresh',
    eventUid: event.uid,
    destinationUid,
    receivedAt: event.receivedAt.toISOString(),
    tenantUid: event.tenantUid,
    dispatch,
    eventId: event.id,
    topic: event.topic,
    timeMs: event.time.getTime(),
    metadata: event.metadata,
    leaseEndMs: leaseEnd.getTime(),
    verify: false,
    manual: false,
    data: Buffer.from(event.data),
  }
}

/** What a delivery's row says. */
export interface DeliveryState {
  readonly status: string
  readonly reason: string | null
  readonly leased: boolean
  readonly dispatch: number
  readonly attempts: number
  readonly faults: number
  readonly losses: number
  /** From now, by Postgres' clock; null: nothing more to do. */
  readonly due_in_ms: number | null
}

export async function readDelivery(
  world: World,
  { event, destinationUid }: Pick<TestDelivery, 'event' | 'destinationUid'>,
): Promise<DeliveryState> {
  const { rows } = await world.store.pools.query.query<DeliveryState>(
    `select status, reason, leased, dispatch, attempts, faults, losses,
       (extract(epoch from due_at - clock_timestamp()) * 1000)::float8 as due_in_ms
     from deliveries where event_uid = $1 and destination_uid = $2`,
    [event.uid, destinationUid],
  )
  const [row] = rows
  if (row === undefined) throw new Error('there is no such delivery')
  return row
}

/** Waits until a delivery's row says so, and answers with it. */
export async function waitForDelivery(
  world: World,
  delivery: Pick<TestDelivery, 'event' | 'destinationUid'>,
  what: string,
  isSo: (row: DeliveryState) => boolean,
): Promise<DeliveryState> {
  return await waitFor(
    async () => {
      const row = await readDelivery(world, delivery)
      return isSo(row) ? row : null
    },
    { what: `the delivery to be ${what}` },
  )
}

export async function readAttempts(
  world: World,
  { event }: Pick<TestDelivery, 'event'>,
): Promise<{ status: string; code: string; dispatch: number }[]> {
  const { rows } = await world.store.pools.query.query<{
    status: string
    code: string
    dispatch: number
  }>('select status, code, dispatch from attempts where event_uid = $1 order by number', [
    event.uid,
  ])
  return rows
}
