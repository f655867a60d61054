import type { Agent } from 'undici'

export interface TenantAgentsOptions {
  /** Makes the agent of a tenant; it connects when it is first used. */
  readonly create: (tenantUid: string) => Agent
  /** Agents kept at once. Default 1024: as many tenants as a deliverer's window has jobs. */
  readonly limit?: number
  /** An agent that was not used for this long is closed; longer than it keeps connections. */
  readonly idleMs: number
}

interface Entry {
  readonly agent: Agent
  usedAtMs: number
}

/**
 * One agent, and so one set of connections, for each tenant: what a tenant's receivers do to a
 * connection is nobody else's trouble. An agent is closed when it was idle for long, or when too many
 * are kept and it was used longest ago; requests that it still has end undisturbed.
 */
export class TenantAgents {
  readonly #create: (tenantUid: string) => Agent
  readonly #limit: number
  readonly #idleMs: number
  /** The one used longest ago first. */
  readonly #entries = new Map<string, Entry>()
  #sweep: NodeJS.Timeout | null = null
  #isStopped = false

  constructor({ create, limit = 1024, idleMs }: TenantAgentsOptions) {
    this.#create = create
    this.#limit = limit
    this.#idleMs = idleMs
  }

  /** Agents that are kept. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * The agent of a tenant, for a request that is dispatched at once.
   *
   * @throws {Error} When the agents were stopped
   */
  get(tenantUid: string): Agent {
    if (this.#isStopped) throw new Error('the HTTP client was stopped')
    const known = this.#entries.get(tenantUid)
    if (known !== undefined) {
      // To the end of the line.
      this.#entries.delete(tenantUid)
      this.#entries.set(tenantUid, known)
      known.usedAtMs = performance.now()
      return known.agent
    }
    const agent = this.#create(tenantUid)
    this.#entries.set(tenantUid, { agent, usedAtMs: performance.now() })
    const [oldest] = this.#entries
    if (this.#entries.size > this.#limit && oldest !== undefined) this.#close(...oldest)
    this.#sweep ??= setInterval(() => this.#closeIdle(), this.#idleMs / 2).unref()
    return agent
  }

  /** Ends the connections of all agents that are kept, and the requests on them. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#endSweep()
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    await Promise.all(entries.map(async ({ agent }) => agent.destroy()))
  }

  #closeIdle(): void {
    const since = performance.now() - this.#idleMs
    for (const [tenantUid, entry] of this.#entries) {
      if (entry.usedAtMs > since) break
      this.#close(tenantUid, entry)
    }
    if (this.#entries.size === 0) this.#endSweep()
  }

  #endSweep(): void {
    if (this.#sweep !== null) clearInterval(this.#sweep)
    this.#sweep = null
  }

  #close(tenantUid: string, { agent }: Entry): void {
    this.#entries.delete(tenantUid)
    // Closes what is idle at once, and the rest when its request has ended, at its deadline if need be.
    void agent.close()
  }
}
