/** One number of a metric: what follows its name (such as `_sum`), its labels as text, its value. */
export interface Sample {
  readonly suffix: string
  readonly labels: string
  readonly value: number
}

/** A metric in Prometheus' text format, version 0.0.4. */
export function metricText(
  metric: { readonly name: string; readonly help: string; readonly type: string },
  samples: readonly Sample[],
): string {
  const { name, help, type } = metric
  const lines = samples.map(({ suffix, labels, value }) => {
    const inBraces = labels === '' ? '' : `{${labels}}`
    return `${name}${suffix}${inBraces} ${numberText(value)}\n`
  })
  return `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** Labels as they stand between the braces, in the order of `names`. */
export function labelsText<L extends string>(
  names: readonly L[],
  values: Readonly<Record<L, string>>,
): string {
  return names.map((name) => `${name}="${escape(values[name]).replaceAll('"', '\\"')}"`).join(',')
}

export function numberText(value: number): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}
