import { ConnectFailureError } from './failures.ts'

const SLOTS_PER_TENANT = 2

/** Who waits behind so many of his own would wait too long anyway. */
const MAX_WAITING_PER_TENANT = 1000

interface Tenant {
  taken: number
  /** In the order in which they came: who leaves does so from anywhere. */
  readonly waiting: Set<() => void>
}

/**
 * The right to look up a name: two per tenant, so that one whose names are dead waits for himself
 * alone. Knows only tenants that hold a slot.
 */
export class LookupSlots {
  readonly #tenants = new Map<string, Tenant>()

  /**
   * Resolves when the tenant has a slot, to what gives it back; that has to be called, once.
   *
   * @param signal - ends the waiting
   * @throws {ConnectFailureError} `dns_error` when the signal came first, or too many wait already
   */
  async take(tenantUid: string, signal: AbortSignal): Promise<() => void> {
    const tenant = this.#tenants.get(tenantUid) ?? { taken: 0, waiting: new Set() }
    this.#tenants.set(tenantUid, tenant)
    if (tenant.taken < SLOTS_PER_TENANT) tenant.taken += 1
    else await turn(tenant, signal)
    return () => this.#giveBack(tenantUid, tenant)
  }

  #giveBack(tenantUid: string, tenant: Tenant): void {
    const [next] = tenant.waiting
    if (next !== undefined) {
      // The slot changes hands: it stays taken.
      tenant.waiting.delete(next)
      next()
      return
    }
    tenant.taken -= 1
    if (tenant.taken === 0) this.#tenants.delete(tenantUid)
  }
}

function turn({ waiting }: Tenant, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (waiting.size >= MAX_WAITING_PER_TENANT) {
      reject(new ConnectFailureError('dns_error', 'too many lookups of this tenant are waiting'))
      return
    }
    const onTurn = (): void => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }
    const onAbort = (): void => {
      waiting.delete(onTurn)
      reject(new ConnectFailureError('dns_error', 'no slot for a lookup became free in time'))
    }
    waiting.add(onTurn)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
