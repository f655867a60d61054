import { type Case, doubledOf, untruths } from './judge.ts'
import type { Ledger } from './ledger.ts'
import type { PlannedDestination } from './plan.ts'
import type { Expected } from './publish.ts'
import type { Account } from './read-back.ts'

/** What came of all deliveries of one type, or of all. */
export interface SoakRow {
  readonly type: string
  readonly destinations: number
  readonly ill: number
  readonly deliveries: number
  success: number
  failed: number
  attempts: number
  /** Arrivals that no attempt stands for. */
  doubled: number
  /** Tries at servers in good health that took too long. */
  late: number
}

export interface SoakResult {
  readonly rows: readonly SoakRow[]
  /** Everything that is not as it should be; empty when all is true. */
  readonly problems: readonly string[]
  readonly seconds: number
}

/** Compares what Postrider tells with what was published and with what the servers saw. */
export function judgeAll(given: {
  readonly destinations: readonly PlannedDestination[]
  readonly expected: Expected
  readonly account: Account
  readonly ledger: Ledger
  readonly seesTries: (type: string) => boolean
}): { readonly rows: readonly SoakRow[]; readonly problems: readonly string[] } {
  const { destinations, expected, account, ledger, seesTries } = given
  const rows = new Map<string, SoakRow>()
  const problems: string[] = []
  for (const destination of destinations) {
    const { id, type, isIll } = destination
    const wanted = expected.get(id) ?? new Map<string, string>()
    const row = rowOf(rows, destination, wanted.size)
    const told = account.get(id)
    if (told === undefined) {
      problems.push(`${type} ${id} was not read back`)
      continue
    }
    for (const eventId of told.keys()) {
      if (!wanted.has(eventId)) problems.push(`${type} ${id} ${eventId} was never published`)
    }
    for (const [eventId, hash] of wanted) {
      const { status = null, reason = null, attempts = [] } = told.get(eventId) ?? {}
      const arrivals = ledger.arrivals(id, eventId)
      const each = { status, reason, attempts, arrivals, hash, isIll, seesTries: seesTries(type) }
      count(row, each)
      for (const untruth of untruths(each)) {
        problems.push(`${type} ${id} ${eventId} ${untruth}; ${describe(each)}`)
      }
    }
  }
  return { rows: [...rows.values()], problems: [...problems, ...ledger.surprises] }
}

function rowOf(
  rows: Map<string, SoakRow>,
  { type, isIll }: PlannedDestination,
  more: number,
): SoakRow {
  const none = { success: 0, failed: 0, attempts: 0, doubled: 0, late: 0 }
  const known = rows.get(type) ?? { type, destinations: 0, ill: 0, deliveries: 0, ...none }
  const row = {
    ...known,
    destinations: known.destinations + 1,
    ill: known.ill + (isIll ? 1 : 0),
    deliveries: known.deliveries + more,
  }
  rows.set(type, row)
  return row
}

function count(row: SoakRow, each: Case): void {
  if (each.status === 'success') row.success += 1
  if (each.status === 'failed') row.failed += 1
  row.attempts += each.attempts.length
  row.doubled += doubledOf(each)
  if (!each.isIll) row.late += each.attempts.filter(({ status }) => status === 'failed').length
}

function describe({ status, attempts, arrivals }: Case): string {
  const codes = attempts.map(({ code }) => code).join(' ')
  const deeds = arrivals.map(({ deed, code }) => code ?? deed).join(' ')
  return `${status ?? 'unknown'} by attempts [${codes}]; the server: [${deeds}]`
}

const HEADS = ['type', 'destinations', 'ill', 'deliveries', 'success', 'failed', 'attempts']

/** The table of a run, with a last row for all types. */
export function resultTable({ rows, seconds }: SoakResult): string {
  const sum = (of: (row: SoakRow) => number): number =>
    rows.reduce((total, row) => total + of(row), 0)
  const all: SoakRow = {
    type: 'all',
    destinations: sum((row) => row.destinations),
    ill: sum((row) => row.ill),
    deliveries: sum((row) => row.deliveries),
    success: sum((row) => row.success),
    failed: sum((row) => row.failed),
    attempts: sum((row) => row.attempts),
    doubled: sum((row) => row.doubled),
    late: sum((row) => row.late),
  }
  const lines = [...rows, all].map((row) => [
    row.type,
    ...[row.destinations, row.ill, row.deliveries, row.success, row.failed].map(String),
    ...[row.attempts, row.doubled, row.late].map(String),
  ])
  const table = [[...HEADS, 'doubled', 'late'], ...lines]
  const widths = table[0]?.map((_, i) => Math.max(...table.map((line) => line[i]?.length ?? 0)))
  const text = table.map((line) =>
    line
      .map((cell, i) => (i === 0 ? cell.padEnd(widths?.[i] ?? 0) : cell.padStart(widths?.[i] ?? 0)))
      .join('  '),
  )
  return [...text, '', `${seconds.toFixed(0)} s`].join('\n')
}
