/**
 * Array literals for `unnest($1::type[], …)`, the way in which batches of rows reach Postgres: one
 * parameter per column, however many rows. Built here because the driver's own conversion escapes
 * every element, which costs more than all the rest of sending a batch.
 */

/** For elements that need no quoting: uids, numbers, booleans, keywords of ours. Null is NULL. */
export function plainArray(values: readonly (string | number | boolean | null)[]): string {
  let out = '{'
  for (let i = 0; i < values.length; i++) {
    if (i > 0) out += ','
    out += values[i] ?? 'NULL'
  }
  return out + '}'
}

/** For text of any kind. Null is NULL. */
export function textArray(values: readonly (string | null)[]): string {
  let out = '{'
  for (let i = 0; i < values.length; i++) {
    if (i > 0) out += ','
    const value = values[i] ?? null
    out += value === null ? 'NULL' : quote(value)
  }
  return out + '}'
}

/** Many byte strings in one parameter. */
export interface PackedBytes {
  /** All of them, one after the other; travels in binary. */
  readonly bytes: Buffer
  /** Array literals of the 1-based start and the length of each; a null has length NULL. */
  readonly starts: string
  readonly lengths: string
}

/**
 * Bytes for `substring($bytes from start for length)`: an array literal would need them as hex, twice
 * the size and escaped.
 */
export function packBytes(values: readonly (Buffer | null)[]): PackedBytes {
  const starts: number[] = []
  const lengths: (number | null)[] = []
  const present: Buffer[] = []
  let at = 1
  for (const value of values) {
    starts.push(at)
    lengths.push(value === null ? null : value.length)
    if (value === null) continue
    present.push(value)
    at += value.length
  }
  return {
    bytes: Buffer.concat(present),
    starts: plainArray(starts),
    lengths: plainArray(lengths),
  }
}

function quote(text: string): string {
  const escaped =
    text.includes('\\') || text.includes('"')
      ? text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
      : text
  return `"${escaped}"`
}
