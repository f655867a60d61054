/** Where something stands in a filter, such as `filter.data.tags[0]`. */
export type Path = string

/** Takes a sentence about a fault of the filter. */
export type Report = (sentence: string) => void

/** The path of a member; a key that is no plain word is written as in JavaScript. */
export function under(path: Path, key: string): Path {
  return /^[\w$-]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`
}
