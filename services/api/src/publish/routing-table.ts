import { readRoutings, readTenants, type Store } from '@postrider/store'
import { compileRouting, type CompiledRouting } from './compiled-routing.ts'

/** What a batch knows of its tenants. */
export interface ReadRoutings {
  /** Postgres' clock at the read, Unix milliseconds. */
  readonly nowMs: number
  /** By public tenant id; a tenant that does not exist is not there. */
  readonly byTenantId: ReadonlyMap<string, CompiledRouting>
}

/** About what the compiled routings may take in memory. */
const MAX_WEIGHT_BYTES = 64 * 1024 * 1024

/**
 * The routings of tenants, compiled once per version of their destinations.
 *
 * Never trusted without asking: every read learns the current version of each tenant from Postgres, so
 * that a destination made a moment ago by another process matches. What is kept only saves reading and
 * compiling the destinations again while the version is the same.
 */
export class RoutingTable {
  readonly #store: Store
  readonly #maxWeightBytes: number
  /** By tenant uid; in the order of last use, so that the first is the one to forget. */
  readonly #kept = new Map<string, CompiledRouting>()
  #weightBytes = 0

  constructor(store: Store, maxWeightBytes: number = MAX_WEIGHT_BYTES) {
    this.#store = store
    this.#maxWeightBytes = maxWeightBytes
  }

  async read(tenantIds: readonly string[]): Promise<ReadRoutings> {
    const { nowMs, tenants } = await readTenants(this.#store, tenantIds)
    const current = new Map<string, CompiledRouting>()
    const stale: string[] = []
    for (const tenant of tenants) {
      const kept = this.#kept.get(tenant.uid)
      if (kept?.routingVersion === tenant.routingVersion) {
        this.#keep(kept)
        current.set(tenant.uid, kept)
      } else {
        stale.push(tenant.uid)
      }
    }
    if (stale.length > 0) {
      for (const routing of await readRoutings(this.#store, stale)) {
        const compiled = compileRouting(routing)
        this.#keep(compiled)
        current.set(routing.tenantUid, compiled)
      }
    }
    const byTenantId = new Map<string, CompiledRouting>()
    for (const { id, uid } of tenants) {
      const routing = current.get(uid)
      if (routing !== undefined) byTenantId.set(id, routing)
    }
    return { nowMs, byTenantId }
  }

  #keep(routing: CompiledRouting): void {
    this.#forget(routing.tenantUid)
    this.#kept.set(routing.tenantUid, routing)
    this.#weightBytes += routing.weightBytes
    for (const oldest of this.#kept.keys()) {
      if (this.#weightBytes <= this.#maxWeightBytes) break
      this.#forget(oldest)
    }
  }

  #forget(tenantUid: string): void {
    const kept = this.#kept.get(tenantUid)
    if (kept === undefined) return
    this.#kept.delete(tenantUid)
    this.#weightBytes -= kept.weightBytes
  }
}
