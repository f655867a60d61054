import type { PoolClient } from 'pg'
import {
  DESTINATION_COLUMNS,
  type DestinationContent,
  type DestinationRow,
  insertDestination,
  isDestinationRow,
  isSameContent,
  type StoredDestination,
  toStoredDestination,
  updateDestination,
} from './destination-rows.ts'
import type { Store } from './store.ts'
import { inTransaction } from './transaction.ts'

/**
 * Destinations as their owners see and change them.
 *
 * Every change locks the tenant's row first, so that the changes of one tenant take turns and a limit
 * on their number is exact; it raises the tenant's `routing_version`, by which publishes see that what
 * they remember is old, and the destination's `version`, by which deliverers do. All of it is one
 * transaction: who is told of a change can rely on it from the next publish on.
 */

export interface DestinationName {
  readonly tenantId: string
  readonly id: string
}

/** Which of the two does not exist. */
export interface Missing {
  readonly kind: 'tenant_not_found' | 'destination_not_found'
}

export interface Found {
  readonly kind: 'found'
  readonly destination: StoredDestination
}

export interface NewDestination extends DestinationName {
  readonly uid: string
  readonly type: string
  /**
   * Gives the content; called with Postgres' clock, within the transaction. Whatever it throws undoes
   * the transaction.
   */
  readonly content: (now: Date) => DestinationContent
  /** Destinations that the tenant may have with this one. */
  readonly limit: number
}

export async function createDestination(
  store: Store,
  given: NewDestination,
): Promise<Found | { readonly kind: 'tenant_not_found' | 'exists' | 'limit_reached' }> {
  return await inTransaction(store.pools.query, async (client) => {
    const tenantUid = await lockTenant(client, given.tenantId)
    if (tenantUid === null) return { kind: 'tenant_not_found' }
    const { now, count, taken } = await readOccupancy(client, tenantUid, given.id)
    if (taken) return { kind: 'exists' }
    if (count >= given.limit) return { kind: 'limit_reached' }
    const destination = { ...given, ...given.content(now), tenantUid, createdAt: now }
    await raiseRoutingVersion(client, tenantUid)
    return { kind: 'found', destination: await insertDestination(client, store, destination) }
  })
}

export async function getDestination(
  store: Store,
  { tenantId, id }: DestinationName,
): Promise<Found | Missing> {
  const { rows } = await store.pools.query.query<Partial<DestinationRow>>(
    `select ${DESTINATION_COLUMNS}
     from tenants t
     left join destinations d on d.tenant_uid = t.uid and d.id = $2 and d.deleted_at is null
     where t.id = $1 and t.deleted_at is null`,
    [tenantId, id],
  )
  const [row] = rows
  if (row === undefined) return { kind: 'tenant_not_found' }
  if (!isDestinationRow(row)) return { kind: 'destination_not_found' }
  return { kind: 'found', destination: toStoredDestination(store, row) }
}

/** All destinations of a tenant, oldest first; null when there is no such tenant. */
export async function listDestinations(
  store: Store,
  tenantId: string,
): Promise<StoredDestination[] | null> {
  const { rows } = await store.pools.query.query<Partial<DestinationRow>>(
    `select ${DESTINATION_COLUMNS}
     from tenants t
     left join destinations d on d.tenant_uid = t.uid and d.deleted_at is null
     where t.id = $1 and t.deleted_at is null
     order by d.created_at, d.uid`,
    [tenantId],
  )
  if (rows.length === 0) return null
  return rows.filter(isDestinationRow).map((row) => toStoredDestination(store, row))
}

export interface DestinationChange extends DestinationName {
  /**
   * Gives the content as it shall be, from what is there; called with Postgres' clock, within the
   * transaction and under the row's lock, so that no other change comes between. Null, or content that
   * is the same: nothing changes. Whatever it throws undoes the transaction.
   */
  readonly change: (current: StoredDestination, now: Date) => DestinationContent | null
}

/** Changes a destination; `changed` says whether anything is other than it was. */
export async function changeDestination(
  store: Store,
  { tenantId, id, change }: DestinationChange,
): Promise<(Found & { readonly changed: boolean }) | Missing> {
  return await inTransaction(store.pools.query, async (client) => {
    const tenantUid = await lockTenant(client, tenantId)
    if (tenantUid === null) return { kind: 'tenant_not_found' }
    const { rows } = await client.query<DestinationRow & { now: Date }>(
      `select ${DESTINATION_COLUMNS}, ${NOW} as now
       from destinations d join tenants t on t.uid = d.tenant_uid
       where d.tenant_uid = $1 and d.id = $2 and d.deleted_at is null
       for update of d`,
      [tenantUid, id],
    )
    const [row] = rows
    if (row === undefined) return { kind: 'destination_not_found' }
    const current = toStoredDestination(store, row)
    const content = change(current, row.now)
    if (content === null || isSameContent(current, content)) {
      return { kind: 'found', destination: current, changed: false }
    }
    await raiseRoutingVersion(client, tenantUid)
    const destination = await updateDestination(client, store, current, content, row.now)
    return { kind: 'found', destination, changed: true }
  })
}

/**
 * Deletes a destination. Its row stays, marked, and its uid is never used again: one made later under
 * the same id gets nothing that was meant for it.
 */
export async function deleteDestination(
  store: Store,
  { tenantId, id }: DestinationName,
): Promise<{ readonly kind: 'deleted'; readonly uid: string } | Missing> {
  return await inTransaction(store.pools.query, async (client) => {
    const tenantUid = await lockTenant(client, tenantId)
    if (tenantUid === null) return { kind: 'tenant_not_found' }
    const { rows } = await client.query<{ uid: string }>(
      `update destinations
       set deleted_at = ${NOW}, version = version + 1
       where tenant_uid = $1 and id = $2 and deleted_at is null
       returning uid`,
      [tenantUid, id],
    )
    if (rows[0] === undefined) return { kind: 'destination_not_found' }
    await raiseRoutingVersion(client, tenantUid)
    return { kind: 'deleted', uid: rows[0].uid }
  })
}

/** The uid of the tenant, whose row is now ours until the transaction ends. */
export async function lockTenant(client: PoolClient, id: string): Promise<string | null> {
  const { rows } = await client.query<{ uid: string }>(
    'select uid from tenants where id = $1 and deleted_at is null for update',
    [id],
  )
  return rows[0]?.uid ?? null
}

interface Occupancy {
  readonly now: Date
  readonly count: number
  /** Whether a destination has this id already. */
  readonly taken: boolean
}

/** A statement of its own after the lock: only so does it see what was committed while that waited. */
async function readOccupancy(
  client: PoolClient,
  tenantUid: string,
  id: string,
): Promise<Occupancy> {
  const { rows } = await client.query<Occupancy>(
    `select ${NOW} as now, count(*)::int as count, coalesce(bool_or(id = $2), false) as taken
     from destinations where tenant_uid = $1 and deleted_at is null`,
    [tenantUid, id],
  )
  const [row] = rows
  if (row === undefined) throw new Error('the count of destinations answered nothing')
  return row
}

/** Not now(): that is when the transaction began, before it waited for the lock. */
export const NOW = `date_trunc('milliseconds', clock_timestamp())`

async function raiseRoutingVersion(client: PoolClient, tenantUid: string): Promise<void> {
  await client.query('update tenants set routing_version = routing_version + 1 where uid = $1', [
    tenantUid,
  ])
}
