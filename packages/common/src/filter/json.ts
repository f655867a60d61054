/** An object of JSON: neither null nor an array. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member of this name, own ones only; undefined when there is none, or `value` is no object. */
export function member(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** Whether two values of JSON are the same, the order of members aside. Descends as far as `b` does. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(b)) {
    return Array.isArray(a) && a.length === b.length && b.every((item, i) => isEqual(a[i], item))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(b)
  return (
    Object.keys(a).length === keys.length &&
    keys.every((key) => Object.hasOwn(a, key) && isEqual(a[key], b[key]))
  )
}
