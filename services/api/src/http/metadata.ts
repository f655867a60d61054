import { type TSchema, Type } from 'typebox'

/** Members of metadata, at most. */
export const MAX_METADATA = 64

const MAX_VALUE_BYTES = 4096

const NAMES = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
  'x-rule': 'must have a name of A-Z a-z 0-9 _ - that starts with a letter or digit',
}

// The length in characters is the coarse sieve; `metadataFaults` counts bytes.
const value = (type: string | readonly string[]): Record<string, unknown> => ({
  type,
  maxLength: MAX_VALUE_BYTES,
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  'x-rule': 'must be at most 4 KiB without control characters',
})

/**
 * Metadata (docs/api.md): strings that travel in headers, so names and values are what headers
 * can carry. `metadataFaults` says what of the rules a schema cannot.
 */
export const Metadata = Type.Unsafe<Readonly<Record<string, string>>>(
  map({
    maxProperties: MAX_METADATA,
    additionalProperties: value('string'),
    description: 'Strings by name. Names do not differ by case.',
  }),
)

/** A merge patch of metadata: null removes a key. */
export const MetadataPatch = Type.Unsafe<Readonly<Record<string, string | null>>>(
  map({
    additionalProperties: value(['string', 'null']),
    description: 'Strings by name; null removes one.',
  }),
)

/**
 * Faults of metadata that fit their schema, or of whatever was given in their place.
 *
 * @param path - where they stand, for the sentences
 */
export function metadataFaults(path: string, metadata: unknown): string[] {
  if (typeof metadata !== 'object' || metadata === null) return []
  const faults: string[] = []
  const seen = new Set<string>()
  for (const [name, text] of Object.entries(metadata)) {
    const lower = name.toLowerCase()
    if (seen.has(lower)) {
      faults.push(`${path}.${name} is given twice: names do not differ by case`)
    }
    seen.add(lower)
    if (typeof text === 'string' && Buffer.byteLength(text) > MAX_VALUE_BYTES) {
      faults.push(`${path}.${name} must be at most 4 KiB without control characters`)
    }
  }
  return faults
}

// Not `Type.Record`: its `^.*$` lets a name with a newline escape validation.
function map(rest: Record<string, unknown>): TSchema {
  return { type: 'object', propertyNames: NAMES, ...rest }
}
