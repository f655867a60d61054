import { sql } from 'kysely'
import type { StringMap } from '@postrider/common'
import { type Candidate, cutPage, type Page, type PageRequest } from './reads/page.ts'
import { walkOf, within } from './reads/walk.ts'
import type { Store } from './store.ts'
import { inTransaction } from './transaction.ts'

export interface Tenant {
  readonly uid: string
  readonly id: string
  readonly metadata: StringMap
  readonly destinationsCount: number
  /** The sorted union of its destinations' topics; `['*']` when one of them takes all. */
  readonly topics: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface PutTenant {
  readonly uid: string
  readonly id: string
  readonly metadata: StringMap
}

/**
 * Makes the tenant, or gives the one that has this id the new metadata; `uid` is used only when it is
 * made. `updatedAt` moves only when the metadata are others. Of calls that run at once, one makes it.
 */
export async function putTenant(
  store: Store,
  { uid, id, metadata }: PutTenant,
): Promise<{ tenant: Tenant; created: boolean }> {
  const { rows } = await store.pools.query.query<TenantRow & { created: boolean }>(
    `with put as (
       insert into tenants as t (uid, id, metadata) values ($1, $2, $3)
       on conflict (id) where deleted_at is null do update
       set metadata = excluded.metadata,
           updated_at = case when t.metadata = excluded.metadata then t.updated_at
             else date_trunc('milliseconds', now()) end
       returning *, uid = $1 as created
     )
     select t.created, ${TENANT_COLUMNS} from put t`,
    [uid, id, JSON.stringify(metadata)],
  )
  const [row] = rows
  if (row === undefined) throw new Error('the upsert of a tenant answered nothing')
  return { tenant: toTenant(row), created: row.created }
}

/** The tenant with this id, or null. */
export async function getTenant(store: Store, id: string): Promise<Tenant | null> {
  const { rows } = await store.pools.query.query<TenantRow>(
    `select ${TENANT_COLUMNS} from tenants t where t.id = $1 and t.deleted_at is null`,
    [id],
  )
  return rows[0] === undefined ? null : toTenant(rows[0])
}

/** Unix milliseconds by Postgres' clock. */
export interface TenantAge {
  readonly madeAtMs: number
  readonly nowMs: number
}

/** When the tenant with this id was made, and what time it is; null when there is none. */
export async function readTenantAge(store: Store, id: string): Promise<TenantAge | null> {
  const { rows } = await store.pools.query.query<{ created_at: Date; now: Date }>(
    'select created_at, clock_timestamp() as now from tenants where id = $1 and deleted_at is null',
    [id],
  )
  const [row] = rows
  return row === undefined ? null : { madeAtMs: row.created_at.getTime(), nowMs: row.now.getTime() }
}

/** A page of the tenants, ordered by the time they were made. */
export async function listTenants(store: Store, request: PageRequest): Promise<Page<Tenant>> {
  const walk = walkOf(request, [])
  const order = sql.raw(walk.direction)
  const { rows } = await sql<TenantRow>`
    select ${sql.raw(TENANT_COLUMNS)} from (
      select * from tenants
      where deleted_at is null and ${within(walk, 'created_at', 'uid')}
      order by created_at ${order}, uid ${order}
      limit ${request.limit + 1}
    ) t order by t.created_at ${order}, t.uid ${order}`.execute(store.db)
  const page = cutPage(rows.map(toCandidate), request)
  return { ...page, items: page.items.map(({ tenant }) => tenant) }
}

function toCandidate(row: TenantRow): Candidate & { readonly tenant: Tenant } {
  return {
    uid: row.uid,
    received_at: '',
    time: row.created_at.toISOString(),
    matches: true,
    is_last: false,
    weight: 0,
    tenant: toTenant(row),
  }
}

/** How many tenants there are. */
export async function countTenants(store: Store): Promise<number> {
  const { rows } = await store.pools.query.query<{ count: number }>(
    'select count(*)::int as count from tenants where deleted_at is null',
  )
  return rows[0]?.count ?? 0
}

/**
 * Deletes the tenant and its destinations. The rows stay, marked: its events leave the lists at once,
 * and its open deliveries are skipped when their turn comes. Its signing keys do not stay.
 *
 * @returns the uids of the destinations that went with it; null when there is no such tenant
 */
export async function deleteTenant(store: Store, id: string): Promise<string[] | null> {
  return await inTransaction(store.pools.query, async (client) => {
    // The tenant's row first, as every change of a destination does: one order of locks for all.
    const deleted = await client.query<{ uid: string }>(
      `update tenants
       set deleted_at = date_trunc('milliseconds', now()), routing_version = routing_version + 1
       where id = $1 and deleted_at is null
       returning uid`,
      [id],
    )
    const [tenant] = deleted.rows
    if (tenant === undefined) return null
    await client.query('delete from tenant_signing_keys where tenant_uid = $1', [tenant.uid])
    const { rows } = await client.query<{ uid: string }>(
      `update destinations
       set deleted_at = date_trunc('milliseconds', now()), version = version + 1
       where tenant_uid = $1 and deleted_at is null
       returning uid`,
      [tenant.uid],
    )
    return rows.map((row) => row.uid)
  })
}

interface TenantRow {
  readonly uid: string
  readonly id: string
  readonly metadata: Record<string, string>
  readonly created_at: Date
  readonly updated_at: Date
  readonly destinations_count: number
  /** One list for each destination. */
  readonly topic_lists: readonly (readonly string[])[]
}

const TENANT_COLUMNS = `
  t.uid, t.id, t.metadata, t.created_at, t.updated_at,
  (select count(*)::int from destinations d
   where d.tenant_uid = t.uid and d.deleted_at is null) as destinations_count,
  (select coalesce(json_agg(d.topics), '[]') from destinations d
   where d.tenant_uid = t.uid and d.deleted_at is null) as topic_lists`

function toTenant(row: TenantRow): Tenant {
  const topics = new Set(row.topic_lists.flat())
  return {
    uid: row.uid,
    id: row.id,
    metadata: row.metadata,
    destinationsCount: row.destinations_count,
    topics: topics.has('*') ? ['*'] : [...topics].toSorted(),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
