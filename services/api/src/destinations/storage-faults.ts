/**
 * What Postgres cannot keep as JSON: texts with U+0000 or a lone surrogate in them, keys included, and
 * numbers beyond the range of a double, which were parsed as infinite and would be kept as null.
 *
 * @param levels - how deep to look; what is deeper is refused for its depth by whoever knows the value
 */
export function storageFaults(path: string, value: unknown, levels: number): string[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [textFault(path)]
  if (typeof value === 'number')
    return Number.isFinite(value) ? [] : [`${path} is too large a number`]
  if (typeof value !== 'object' || value === null || levels === 0) return []
  return Object.entries(value).flatMap(([key, each]) =>
    isStorable(key) ? storageFaults(`${path}.${key}`, each, levels - 1) : [textFault(path)],
  )
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

function textFault(path: string): string {
  return `${path} must not contain U+0000 or half of a surrogate pair`
}
