import { accepted, type Parsed, quoted, refused, type Setting, type Spec } from './setting.ts'

interface RangeSpec extends Spec<number> {
  readonly min: number
  readonly max: number
}

/** A whole number within bounds. */
export function integer(spec: RangeSpec): Setting<number> {
  return {
    ...spec,
    accepts: `integer, ${spec.min} to ${spec.max}`,
    defaultText: spec.defaultText ?? String(spec.fallback),
    emptyIsValue: false,
    parse: (value) => parseInteger(value, spec),
  }
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB']

/** A size in bytes; the reference also says it in a handy unit. */
export function bytes(spec: RangeSpec): Setting<number> {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(spec.fallback) / 10))
  const defaultText = `${spec.fallback} (${spec.fallback / 1024 ** unit} ${UNITS[unit]})`
  return { ...integer({ ...spec, defaultText }), accepts: `bytes, ${spec.min} to ${spec.max}` }
}

/** A duration: written in seconds, read as whole milliseconds. */
export function seconds(
  spec: RangeSpec & { /** Default: false. */ readonly decimals?: boolean },
): Setting<number> {
  const decimals = spec.decimals ?? false
  return {
    ...spec,
    accepts: `seconds${decimals ? ', also decimals' : ''}, ${spec.min} to ${spec.max}`,
    defaultText: spec.defaultText ?? String(spec.fallback),
    fallback: toMs(spec.fallback),
    emptyIsValue: false,
    parse: (value) =>
      decimals ? parseDecimal(value, spec) : mapped(parseInteger(value, spec), toMs),
  }
}

/** `true` or `false`. */
export function flag(spec: Spec<boolean>): Setting<boolean> {
  return {
    ...spec,
    accepts: '`true` or `false`',
    defaultText: String(spec.fallback),
    emptyIsValue: false,
    parse: (value) =>
      value === 'true' || value === 'false'
        ? accepted(value === 'true')
        : refused(`must be true or false, not ${quoted(value)}`),
  }
}

/** One of a closed list of words. A null fallback leaves the choice to whoever reads it. */
export function choice<T extends string, F extends T | null>(
  spec: Spec<F> & { readonly values: readonly T[] },
): Setting<T | F> {
  return {
    ...spec,
    accepts: spec.values.map((value) => `\`${value}\``).join(', '),
    defaultText: spec.defaultText ?? `\`${spec.fallback}\``,
    emptyIsValue: false,
    parse: (value) => {
      const chosen = spec.values.find((candidate) => candidate === value)
      return chosen === undefined
        ? refused(`must be one of ${spec.values.join(', ')}, not ${quoted(value)}`)
        : accepted(chosen)
    },
  }
}

/** Text in a form of its own. `parse` may say more than `accepts`. */
export function text<T, F extends T | null>(
  spec: Spec<F> & { readonly accepts: string; readonly parse: (value: string) => Parsed<T> },
): Setting<T | F> {
  const fallback = typeof spec.fallback === 'string' ? `\`${spec.fallback}\`` : ''
  return { ...spec, defaultText: spec.defaultText ?? fallback, emptyIsValue: false }
}

interface ListSpec<T, F> extends Spec<F> {
  /** What one entry may be, in words. */
  readonly accepts: string
  readonly parseEntry: (entry: string) => Parsed<T>
  /** Default: false. */
  readonly emptyIsValue?: boolean
  /** Default: true. False refuses an entry given twice. */
  readonly mayRepeat?: boolean
}

/** Entries with commas between them; spaces around an entry do not count. */
export function list<T, F extends readonly T[] | null>(
  spec: ListSpec<T, F>,
): Setting<readonly T[] | F> {
  return {
    ...spec,
    accepts: `${spec.accepts}, comma separated`,
    defaultText: spec.defaultText ?? '',
    emptyIsValue: spec.emptyIsValue ?? false,
    parse: (value) => parseList(value, spec),
  }
}

function parseList<T, F>(value: string, spec: ListSpec<T, F>): Parsed<readonly T[]> {
  if (value === '') return accepted([])
  const entries = value.split(',').map((entry) => entry.trim())
  if (entries.includes('')) return refused('must not have an empty entry')
  if (spec.mayRepeat === false && new Set(entries).size < entries.length) {
    return refused('must not have the same entry twice')
  }
  const values: T[] = []
  for (const entry of entries) {
    const parsed = spec.parseEntry(entry)
    if (!parsed.ok) return parsed
    values.push(parsed.value)
  }
  return accepted(values)
}

interface Range {
  readonly min: number
  readonly max: number
}

function parseInteger(value: string, { min, max }: Range): Parsed<number> {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  return number >= min && number <= max
    ? accepted(number)
    : refused(`must be an integer from ${min} to ${max}, not ${quoted(value)}`)
}

/** Seconds as people write them, decimals allowed, read as whole milliseconds. */
export function parseDecimal(value: string, { min, max }: Range): Parsed<number> {
  const number = /^\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN
  return number >= min && number <= max
    ? accepted(toMs(number))
    : refused(`must be a number of seconds from ${min} to ${max}, not ${quoted(value)}`)
}

function toMs(secondsGiven: number): number {
  return Math.round(secondsGiven * 1000)
}

function mapped<T, U>(parsed: Parsed<T>, map: (value: T) => U): Parsed<U> {
  return parsed.ok ? accepted(map(parsed.value)) : parsed
}
