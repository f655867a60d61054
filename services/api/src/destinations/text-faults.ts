/**
 * Texts in a value that Postgres cannot keep as JSON: with U+0000 or a lone surrogate in them. Keys
 * count too.
 *
 * @param levels - how deep to look; what is deeper is refused for its depth by whoever knows the value
 */
export function textFaults(path: string, value: unknown, levels: number): string[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [fault(path)]
  if (typeof value !== 'object' || value === null || levels === 0) return []
  return Object.entries(value).flatMap(([key, each]) =>
    isStorable(key) ? textFaults(`${path}.${key}`, each, levels - 1) : [fault(path)],
  )
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

function fault(path: string): string {
  return `${path} must not contain U+0000 or half of a surrogate pair`
}
