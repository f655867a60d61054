import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DestinationName, Missing } from '../destinations.ts'
import type { Schema } from '../schema.ts'

type Db = Kysely<Schema>

/**
 * Uids of what public ids mean at this moment. `tenantUids` null stands for all tenants; unknown ids
 * simply have no uid.
 */

export async function liveTenantUids(db: Db, ids: readonly string[]): Promise<string[]> {
  return await uids(
    db,
    sql`select uid from tenants where id = any(${ids}::text[]) and deleted_at is null`,
  )
}

/**
 * For each tenant and id the living destination; only where there is none, the one deleted last: its
 * events can still be looked up, and a successor under the same id gets nothing of its predecessor.
 */
export async function destinationUids(
  db: Db,
  ids: readonly string[],
  tenantUids: readonly string[] | null,
): Promise<string[]> {
  return await uids(
    db,
    sql`
      select distinct on (d.id, d.tenant_uid) d.uid from destinations d
      where d.id = any(${ids}::text[]) and ${ofTenants('d', tenantUids)}
      order by d.id, d.tenant_uid, d.deleted_at desc nulls first`,
  )
}

/** Where a destination is that exists at this moment. */
export interface LocatedDestination {
  readonly kind: 'located'
  readonly uid: string
  readonly tenantUid: string
}

/** The living destination of this name. */
export async function locateDestination(
  db: Db,
  { tenantId, id }: DestinationName,
): Promise<LocatedDestination | Missing> {
  const { rows } = await sql<{ tenantUid: string; uid: string | null }>`
    select t.uid as "tenantUid", d.uid from tenants t
    left join destinations d on d.tenant_uid = t.uid and d.id = ${id} and d.deleted_at is null
    where t.id = ${tenantId} and t.deleted_at is null`.execute(db)
  const [row] = rows
  if (row === undefined) return { kind: 'tenant_not_found' }
  if (row.uid === null) return { kind: 'destination_not_found' }
  return { kind: 'located', uid: row.uid, tenantUid: row.tenantUid }
}

/** All events of these ids: an id may be used again when its publish window is over. */
export async function eventUids(
  db: Db,
  ids: readonly string[],
  tenantUids: readonly string[] | null,
): Promise<string[]> {
  return await uids(
    db,
    sql`select e.uid from events e where e.id = any(${ids}::text[]) and ${ofTenants('e', tenantUids)}`,
  )
}

/** The condition that a row of the table `alias` belongs to one of these tenants. */
export function ofTenants(
  alias: string,
  tenantUids: readonly string[] | null,
): RawBuilder<unknown> {
  return tenantUids === null
    ? sql`true`
    : sql`${sql.ref(`${alias}.tenant_uid`)} = any(${tenantUids}::uuid[])`
}

/**
 * The condition on the candidate `c` that its tenant is one of those whose rows may be seen: a deleted
 * tenant's rows leave all lists at once, long before they are dropped.
 */
export function isVisible(tenantUids: readonly string[] | null): RawBuilder<unknown> {
  return tenantUids === null
    ? sql`(select t.deleted_at is null from tenants t where t.uid = c.tenant_uid)`
    : sql`c.tenant_uid = any(${tenantUids}::uuid[])`
}

async function uids(db: Db, query: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await query.execute(db)
  return (rows as { uid: string }[]).map(({ uid }) => uid)
}
