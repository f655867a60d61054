import type { TSchema } from 'typebox'

/** Query parameters as values for their schema, and what is wrong with how they were given. */
export interface ParsedQuery {
  readonly values: Readonly<Record<string, unknown>>
  readonly faults: readonly string[]
}

type Kind = 'text' | 'integer' | 'list'

/** Parses the query of a URL. */
export type QueryParser = (url: string) => ParsedQuery

/**
 * A parser for the parameters that an object schema names. Arrays may be repeated, also as `x[]` and
 * `x[0]`; everything else may be given once. A name with an operator, such as `time[gte]`, is a
 * parameter of its own. Unknown parameters are faults.
 */
export function queryParser(schema: TSchema | undefined): QueryParser {
  const kinds = new Map<string, Kind>()
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    kinds.set(name, kindOf(property))
  }
  return (url) => {
    const at = url.indexOf('?')
    return at === -1 ? NOTHING : parse(url.slice(at + 1), kinds)
  }
}

const NOTHING: ParsedQuery = { values: {}, faults: [] }

function parse(search: string, kinds: ReadonlyMap<string, Kind>): ParsedQuery {
  // `URLSearchParams` would put U+FFFD in place of it, and something else would be looked for.
  if (!isDecodable(search)) return { values: {}, faults: ['query must be percent-encoded UTF-8'] }
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const faults: string[] = []
  for (const [given, value] of new URLSearchParams(search)) {
    const name = kinds.has(given) ? given : given.replace(/\[\d*\]$/, '')
    const kind = kinds.get(name)
    if (kind === undefined || (name !== given && kind !== 'list')) {
      faults.push(`${given} is not a known parameter`)
    } else if (value.includes('\u0000')) {
      faults.push(`${name} must not contain U+0000`)
    } else if (kind === 'list') {
      const list = values[name]
      if (Array.isArray(list)) list.push(value)
      else values[name] = [value]
    } else if (name in values) {
      faults.push(`${name} must be given once`)
    } else {
      values[name] = kind === 'integer' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
    }
  }
  return { values, faults }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function propertiesOf(schema: TSchema | undefined): Record<string, { type?: unknown }> {
  const { properties } = (schema ?? {}) as { properties?: Record<string, { type?: unknown }> }
  return properties ?? {}
}

function kindOf({ type }: { type?: unknown }): Kind {
  if (type === 'array') return 'list'
  return type === 'integer' ? 'integer' : 'text'
}
