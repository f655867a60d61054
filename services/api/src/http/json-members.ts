/** The text of a JSON object with one more member, whose value is JSON text already. */
export function withMember(object: string, name: string, value: string): string {
  const separator = object === '{}' ? '' : ','
  return `${object.slice(0, -1)}${separator}${JSON.stringify(name)}:${value}}`
}
