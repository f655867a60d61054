import { compileEventFilter } from './compile.ts'
import { isJsonObject, type JsonObject } from './json.ts'

/** The part of an event that filters see. */
export interface FilterEvent {
  readonly id: string
  readonly topic: string
  /** RFC 3339 in UTC with milliseconds. */
  readonly time: string
  readonly metadata: Readonly<Record<string, string>>
  /** As parsed from JSON. */
  readonly data: unknown
}

const MAX_LEVELS = 16
const MAX_BYTES = 16 * 1024

/**
 * What is wrong with a filter (docs/api.md), as sentences that begin with
 * the path of the fault; none when it may be stored and compiled. Takes whatever JSON may hold.
 */
export function validateFilter(filter: unknown): string[] {
  // Levels first: what follows descends as deep as the filter does.
  if (isDeeper(filter, MAX_LEVELS)) return [`filter must have at most ${MAX_LEVELS} levels`]
  if (isJsonObject(filter) && Buffer.byteLength(JSON.stringify(filter)) > MAX_BYTES) {
    return [`filter must have at most ${MAX_BYTES} bytes`]
  }
  const problems: string[] = []
  compileEventFilter(filter, 'filter', (sentence) => problems.push(sentence))
  return problems
}

/**
 * A filter that `validateFilter` accepted, as a function that says whether an event matches. It
 * sees own members only, and never throws, whatever the event holds and however deep. A part that it
 * does not understand, because a later version wrote it, matches nothing. Compile once per version of
 * a destination, not per event.
 */
export function compileFilter(filter: JsonObject): (event: FilterEvent) => boolean {
  return compileEventFilter(filter, 'filter', () => {})
}

/** Whether objects and arrays nest more than `levels` deep. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
