/** A template that cannot be, with the place: `at line 1, column 7: …`. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'

  /** @param at - the index in `template` of what is wrong */
  constructor(template: string, at: number, problem: string) {
    super(`${placeOf(template, at)}: ${problem}`)
  }
}

/** Columns are counted in characters, both numbers from 1. */
function placeOf(template: string, at: number): string {
  const lines = template.slice(0, at).split('\n')
  const column = Array.from(lines.at(-1) ?? '').length + 1
  return `at line ${lines.length}, column ${column}`
}
