import { plainArray, textArray } from '../arrays.ts'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'

/** What a publish must know of a tenant, read anew for every batch. */
export interface RoutedTenant {
  readonly id: string
  readonly uid: string
  /** Another number says that something changed about the tenant's destinations. */
  readonly routingVersion: number
}

export interface RoutedTenants {
  /** Postgres' clock at the read, Unix milliseconds. */
  readonly nowMs: number
  readonly tenants: readonly RoutedTenant[]
}

/** Where a tenant's events can go: all its destinations, at one version. */
export interface Routing {
  readonly tenantUid: string
  readonly routingVersion: number
  readonly destinations: readonly RoutedDestination[]
}

export interface RoutedDestination {
  readonly uid: string
  readonly id: string
  readonly topics: readonly string[]
  /** As stored; null: it has none. */
  readonly filter: Readonly<Record<string, unknown>> | null
  readonly isDisabled: boolean
}

/**
 * The tenants with these public ids; those that do not exist are left out. Sees every change that was
 * committed, in any process, before the call: publish trusts what it remembers of a tenant's
 * destinations only as long as `routingVersion` is the same.
 */
export async function readTenants(store: Store, ids: readonly string[]): Promise<RoutedTenants> {
  const { rows } = await store.pools.publish.query<TenantsRow>({
    name: 'read-routed-tenants',
    text: READ_TENANTS,
    types: RAW_TYPES,
    values: [textArray(ids)],
  })
  const [row] = rows
  if (row === undefined) throw new Error('the tenants statement answered nothing')
  return {
    nowMs: row.now_ms,
    tenants: row.tenants.map(([id, uid, routingVersion]) => ({ id, uid, routingVersion })),
  }
}

/** The routings of these tenants, each with the version that it was read at, in one snapshot. */
export async function readRoutings(
  store: Store,
  tenantUids: readonly string[],
): Promise<Routing[]> {
  const { rows } = await store.pools.publish.query<RoutingRow>({
    name: 'read-routings',
    text: READ_ROUTINGS,
    types: RAW_TYPES,
    values: [plainArray(tenantUids)],
  })
  return rows.map((row) => ({
    tenantUid: row.uid,
    routingVersion: row.routing_version,
    destinations: row.destinations,
  }))
}

interface TenantsRow {
  readonly now_ms: number
  readonly tenants: readonly (readonly [id: string, uid: string, routingVersion: number])[]
}

interface RoutingRow {
  readonly uid: string
  readonly routing_version: number
  readonly destinations: readonly RoutedDestination[]
}

const READ_TENANTS = `
  select
    floor(extract(epoch from now()) * 1000)::bigint as now_ms,
    coalesce(
      (select json_agg(json_build_array(id, uid, routing_version))
       from tenants where id = any($1::text[]) and deleted_at is null),
      '[]'
    ) as tenants`

const READ_ROUTINGS = `
  select
    t.uid, t.routing_version,
    coalesce(
      (select json_agg(
         json_build_object(
           'uid', d.uid, 'id', d.id, 'topics', d.topics, 'filter', d.filter,
           'isDisabled', d.disabled_at is not null)
         order by d.created_at, d.uid)
       from destinations d where d.tenant_uid = t.uid and d.deleted_at is null),
      '[]'
    ) as destinations
  from tenants t
  where t.uid = any($1::uuid[]) and t.deleted_at is null`
