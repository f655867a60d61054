import type { PageRequest } from '@postrider/store'
import { createTestDatabase } from '@postrider/testkit'
import { bringServersUp } from '../servers.ts'
import { deepTime, fill } from './fill.ts'
import { type Cost, measure, openWarmStore } from './measure.ts'
import { allQueries, type Query } from './queries.ts'

/**
 * `npm run bench:lists`: what a page of every list costs, with each filter and each two, at the
 * beginning and deep in the list; in a small database and in a large one with the same partitions.
 *
 * Two goals (docs/api.md). With one filter, a page costs in the large database less than twice what
 * it costs in the small one: it reads an index, not a table. With two, which may be a rare
 * combination, no page takes longer than the budget of a page.
 */
const LARGE = Number(process.env['BENCH_LIST_EVENTS'] ?? 1_000_000)
const SMALL = Number(process.env['BENCH_LIST_SMALL_EVENTS'] ?? 10_000)
const ONLY = process.env['BENCH_LIST_ONLY'] ?? ''
const MAX_RATIO = 2
const PAGE_BUDGET_MS = 50

interface Line {
  readonly query: Query
  readonly page: string
  /** As the service reads, in the large database. */
  readonly served: Cost
  /** Large to small, statements prepared. */
  readonly ratio: number
}

const PAGES: Readonly<Record<string, PageRequest>> = {
  first: { limit: 100, dir: 'desc', from: null },
  deep: {
    limit: 100,
    dir: 'desc',
    from: {
      walk: 'next',
      position: {
        time: deepTime().toISOString(),
        uid: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
        inclusive: false,
      },
    },
  },
}

const say = (line: string): void => console.error(`bench: ${line}`)

say('bringing the servers up')
bringServersUp()
await using small = await createTestDatabase()
await using large = await createTestDatabase()
for (const [database, events] of [[small, SMALL] as const, [large, LARGE] as const]) {
  say(`making ${events.toLocaleString('en')} events, their deliveries and attempts`)
  await fill(database.url, { events })
}

const served = openWarmStore(large.url, false)
const prepared = { small: openWarmStore(small.url, true), large: openWarmStore(large.url, true) }
const lines: Line[] = []
try {
  console.log(row(['list', 'filters', 'page', 'rows', 'p50 ms', 'p99 ms', 'ratio']))
  for (const query of allQueries()) {
    if (!nameOf(query).includes(ONLY)) continue
    for (const [page, request] of Object.entries(PAGES)) {
      const line = await lineOf(query, page, request)
      lines.push(line)
      console.log(row(cellsOf(line)))
    }
  }
} finally {
  for (const store of [served, prepared.small, prepared.large]) await store.close()
}
tell('one filter', `a ratio under ${MAX_RATIO}`, isOne, ({ ratio }) => ratio < MAX_RATIO)
tell('two filters', `p50 within ${PAGE_BUDGET_MS} ms`, isTwo, isInBudget)

async function lineOf(query: Query, page: string, request: PageRequest): Promise<Line> {
  const stores = [served, prepared.small, prepared.large]
  const [inService, inSmall, inLarge] = await measure(stores, query, request)
  if (inService === undefined || inSmall === undefined || inLarge === undefined) {
    throw new Error('a store was not measured')
  }
  return { query, page, served: inService, ratio: inLarge.p50Ms / inSmall.p50Ms }
}

/** What a list is a list of is a filter like any other. */
function countOf({ query: { list, filters } }: Line): number {
  return filters.length + (list.includes(' of ') ? 1 : 0)
}

function isOne(line: Line): boolean {
  return countOf(line) < 2
}

function isTwo(line: Line): boolean {
  return countOf(line) >= 2
}

function isInBudget({ served: { p50Ms } }: Line): boolean {
  return p50Ms <= PAGE_BUDGET_MS
}

function tell(
  what: string,
  goal: string,
  isMeant: (line: Line) => boolean,
  isMet: (line: Line) => boolean,
): void {
  const meant = lines.filter(isMeant)
  const missed = meant.filter((line) => !isMet(line))
  console.log(`\n${what}: ${goal}: ${meant.length - missed.length} of ${meant.length} pages`)
  for (const line of missed) console.log(row(cellsOf(line)))
}

function cellsOf({ query, page, served: { rows, p50Ms, p99Ms }, ratio }: Line): string[] {
  const { list, filters } = query
  const numbers = [String(rows), p50Ms.toFixed(1), p99Ms.toFixed(1), ratio.toFixed(2)]
  return [list, filters.join(' & ') || '–', page, ...numbers]
}

function nameOf({ list, filters }: Query): string {
  return [list, ...filters].join(' ')
}

function row(cells: readonly string[]): string {
  const widths = [26, 40, 6, 5, 7, 7, 6]
  return cells
    .map((cell, i) => (i < 3 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
    .join(' ')
}
