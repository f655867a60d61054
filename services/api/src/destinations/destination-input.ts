import { Type } from 'typebox'
import { validateFilter } from '@postrider/common'
import type { Config } from '@postrider/config'
import { metadataFaults } from '../http/metadata.ts'
import { topicFaults } from './topic-rules.ts'
import { storageFaults } from './storage-faults.ts'

/** What the fields of a type may be given as; booleans and numbers become their text. */
export type GivenValue = string | number | boolean

/** Config or credentials of a create. */
export const GivenFields = Type.Unsafe<Readonly<Record<string, GivenValue>>>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
})

/** Config or credentials of an update: a merge patch, in which null removes. */
export const GivenFieldsPatch = Type.Unsafe<Readonly<Record<string, GivenValue | null>>>({
  type: 'object',
  description: 'What fields there are depends on the type; null removes one.',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
})

/** Config as a schema can say it for all types at once: some take whatever comes, and ignore it. */
export const AnyConfig = Type.Unknown({
  description: 'What fields there are depends on the type; some types have none and ignore it.',
})

/** The faults in the form of a config that is meant for a type with fields of its own. */
export function configFormFaults(config: unknown, { isPatch }: { isPatch: boolean }): string[] {
  const orNull = isPatch ? ' or null' : ''
  if (config === undefined || (isPatch && config === null)) return []
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    return [`config must be an object${orNull}`]
  }
  return Object.entries(config)
    .filter(([, value]) => !isGivenValue(value) && !(isPatch && value === null))
    .map(([key]) => `config.${key} must be a string or a number or a boolean${orNull}`)
}

/** What `validateFilter` lets through. */
const FILTER_LEVELS = 16

/** More would cost every publish of the tenant. */
const MAX_TOPICS = 1000

/** `"*"` or a list; `topicFaults` says what of the rules a schema cannot. */
export const Topics = Type.Unsafe<'*' | readonly string[]>({
  description: 'The topics that it gets: `"*"` for all, or a list.',
  type: ['array', 'string'],
  pattern: '^\\*$',
  'x-rule': 'must be "*" or a list of topics',
  minItems: 1,
  maxItems: MAX_TOPICS,
  items: {
    type: 'string',
    pattern: '^[\\x21-\\x7E]{1,255}$',
    'x-rule': 'must be 1 to 255 visible ASCII characters',
  },
})

type JsonObject = Readonly<Record<string, unknown>>

export const Filter = Type.Unsafe<JsonObject>({
  type: 'object',
  description:
    'Which events it gets, by their `id`, `topic`, `time`, `metadata` and `data`: a value must be equal, an array names what must all be contained, an object goes deeper. Operators: $eq $neq $gt $gte $lt $lte $in $nin $startsWith $endsWith $exist, $or $and (lists of filters), $not. At most 16 levels and 16 KiB; `{}` is no filter.',
})

/** The faults of a create or an update that need no destination to be seen. */
export function contentFaults(
  body: unknown,
  { topics, topicsAllowWildcards }: Config['api'],
): string[] {
  if (typeof body !== 'object' || body === null) return []
  const given = body as Readonly<Record<string, unknown>>
  return [
    ...topicFaults(given['topics'], { configured: topics, allowWildcards: topicsAllowWildcards }),
    ...filterFaults(given['filter']),
    ...metadataFaults('delivery_metadata', given['delivery_metadata']),
    ...metadataFaults('metadata', given['metadata']),
    ...['config', 'credentials'].flatMap((name) => storageFaults(name, given[name], 1)),
  ]
}

function filterFaults(filter: unknown): string[] {
  // What is no object is told by the schema.
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return []
  const faults = validateFilter(filter)
  return faults.length > 0 ? faults : storageFaults('filter', filter, FILTER_LEVELS)
}

/** The topics as they are kept: a list, each once. */
export function topicList(topics: '*' | readonly string[]): readonly string[] {
  return topics === '*' ? ['*'] : [...new Set(topics)]
}

/** A filter as it is kept: the empty one is none. */
export function filterOrNull(filter: JsonObject | null | undefined): JsonObject | null {
  return filter === null || filter === undefined || Object.keys(filter).length === 0 ? null : filter
}

/** Whether a value is given fields, or is not given. */
export function isGivenFields(
  value: unknown,
): value is Readonly<Record<string, GivenValue>> | undefined {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every(isGivenValue)
}

function isGivenValue(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** Given fields as text. */
export function asText<T extends GivenValue | null>(
  fields: Readonly<Record<string, T>>,
): Record<string, string | Extract<T, null>> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value === null ? value : String(value)]),
  ) as Record<string, string | Extract<T, null>>
}
