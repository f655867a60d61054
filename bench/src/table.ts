/** The middle one; of an even number, the lower of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN
}

/** Prints rows of a name and a value, aligned. */
export function printTable(title: string, rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([name]) => name.length))
  console.log(`\n${title}\n`)
  for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${value}`)
}
