/** One or several of something. */
export type OneOrMore<T> = T | readonly T[]

export function asList<T>(given: OneOrMore<T>): readonly T[] {
  // `Array.isArray` does not narrow what is left to T when a list is readonly.
  return Array.isArray(given) ? (given as readonly T[]) : [given as T]
}
