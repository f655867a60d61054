import type { Setting } from './setting.ts'
import { table } from './table.ts'

const INTRODUCTION = `# Configuration

Every setting is an environment variable. A service reads them once, when it starts; a value that it
cannot use stops the start, and all such values are named at once. A variable that is set but empty
counts as not set, except where its line says otherwise. Every service checks all of them, also those
that only another one uses.

This page is generated from the table in \`packages/config\`.
`

const TITLES = {
  servers: `## Servers

The api and delivery services need all three; the standalone service takes \`POSTGRES_URL\` only.`,
  secrets: `## Secrets

The api service needs all three, the delivery service \`AES_ENCRYPTION_SECRET\`. \`npm start\` makes what is
not given and keeps it in its data directory.`,
  process: '## Every service',
  api: '## HTTP API',
  delivery: '## Delivery',
  destinations: '## Destinations and webhooks',
} as const satisfies Record<keyof typeof table, string>

const HEAD = ['Variable', 'Default', 'Values', 'Meaning'] as const

/** The text of docs/configuration.md: one Markdown table per group, formatted as prettier would. */
export function configurationReference(): string {
  const groups: readonly (keyof typeof table)[] = [
    'servers',
    'secrets',
    'process',
    'api',
    'delivery',
    'destinations',
  ]
  const sections = groups.map(
    (group) => `${TITLES[group]}\n\n${markdownTable(Object.values(table[group]))}`,
  )
  return [INTRODUCTION, ...sections].join('\n')
}

function markdownTable(settings: readonly Setting<unknown>[]): string {
  const rows = settings.map((setting) => [
    `\`${setting.name}\``,
    setting.defaultText,
    setting.accepts,
    setting.line,
  ])
  const cells = [HEAD, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
  const rule = line(widths.map((width) => '-'.repeat(width)))
  const [head = [], ...body] = cells
  return [line(head), rule, ...body.map(line)].join('')
}
