import { createHash } from 'node:crypto'
import type { Random } from './random.ts'

/** A destination that the run makes, before it is made. */
export interface PlannedDestination {
  /** Also the name of its queue, stream, path or whatever its type has. */
  readonly id: string
  readonly tenantId: string
  readonly type: string
  readonly topic: string
  /** Its server fails at random. */
  readonly isIll: boolean
}

/** An event that the run publishes. */
export interface PlannedEvent {
  readonly id: string
  readonly tenantId: string
  readonly topic: string
  /** The exact text of its data. */
  readonly data: string
}

/** One in so many servers fails. */
const ILL_SHARE = 10
const MAX_FILLING = 4000

/**
 * Destinations of all types in turns, so that each tenant has most types and each topic two of them;
 * of each type a tenth is ill, and at least one.
 */
export function planDestinations(
  types: readonly string[],
  { destinations, tenants }: { readonly destinations: number; readonly tenants: number },
): readonly PlannedDestination[] {
  const perTenant = destinations / tenants
  const seen = new Map<string, number>()
  return Array.from({ length: destinations }, (_, i) => {
    const type = types[i % types.length] ?? ''
    const ofType = seen.get(type) ?? 0
    seen.set(type, ofType + 1)
    return {
      id: `d-${i}`,
      tenantId: tenantOf(Math.floor(i / perTenant)),
      type,
      topic: topicOf(i % perTenant, perTenant),
      isIll: ofType % ILL_SHARE === 0,
    }
  })
}

/** The event of this number; tenants and topics take turns. */
export function planEvent(
  n: number,
  {
    destinations,
    tenants,
    random,
  }: { readonly destinations: number; readonly tenants: number; readonly random: Random },
): PlannedEvent {
  const filling = 'ü😀x'.repeat(random.below(MAX_FILLING / 8))
  return {
    id: `e-${n}`,
    tenantId: tenantOf(n % tenants),
    topic: topicOf(Math.floor(n / tenants), destinations / tenants),
    // Parsed and written again it would be other bytes.
    data: String.raw`{"n":${n}, "f":1.10,"u":"\u00e9","filling":"${filling}"}`,
  }
}

export function hashOf(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('base64url')
}

function tenantOf(n: number): string {
  return `tenant-${n}`
}

function topicOf(n: number, perTenant: number): string {
  return `topic.${n % Math.max(1, Math.floor(perTenant / 2))}`
}
