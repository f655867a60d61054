import { compileFilter, type FilterEvent, matchesTopic } from '@postrider/common'
import type { RoutedDestination, Routing } from '@postrider/store'
import type { Publication } from './publication.ts'

/** A tenant's destinations at one version, ready to be matched against. */
export interface CompiledRouting {
  readonly tenantUid: string
  readonly routingVersion: number
  /** In the order of their creation. */
  readonly destinations: readonly CompiledDestination[]
  /** About what it takes in memory. */
  readonly weightBytes: number
}

/** A destination as a publish sees it. */
export interface CompiledDestination {
  readonly uid: string
  readonly id: string
  readonly isDisabled: boolean
  readonly topics: readonly string[]
  /** Null: it has none, every event passes. */
  readonly passes: ((event: FilterEvent) => boolean) | null
}

export function compileRouting(routing: Routing): CompiledRouting {
  return {
    tenantUid: routing.tenantUid,
    routingVersion: routing.routingVersion,
    destinations: routing.destinations.map(compileDestination),
    // Parsed values and closures take a few times their text.
    weightBytes: 256 + 4 * JSON.stringify(routing.destinations).length,
  }
}

function compileDestination(destination: RoutedDestination): CompiledDestination {
  const { uid, id, isDisabled, topics, filter } = destination
  return { uid, id, isDisabled, topics, passes: filter === null ? null : compileFilter(filter) }
}

/**
 * The destinations that get a delivery of this event, disabled ones included; null when it names one
 * that does not exist. A destination that is named must pass its filter, whatever its topics are.
 *
 * @param id - the event's, chosen by the caller or made
 */
export function findMatches(
  { destinations }: CompiledRouting,
  publication: Publication,
  { id, timeMs }: { readonly id: string; readonly timeMs: number },
): readonly CompiledDestination[] | null {
  const { topic, destinationId, metadata, parsedData } = publication
  let view: FilterEvent | null = null
  const passes = (destination: CompiledDestination): boolean => {
    if (destination.passes === null) return true
    view ??= { id, topic, time: new Date(timeMs).toISOString(), metadata, data: parsedData }
    return destination.passes(view)
  }
  if (destinationId === null) {
    return destinations.filter(
      (destination) => matchesTopic(destination.topics, topic) && passes(destination),
    )
  }
  const named = destinations.find((destination) => destination.id === destinationId)
  if (named === undefined) return null
  return passes(named) ? [named] : []
}
