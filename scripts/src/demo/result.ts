import type { Arrival } from './demo-receiver.ts'
import type { DeliveryRecord } from './ledger.ts'
import type { DemoDestination } from './scene.ts'

/** What came of a demo. */
export interface DemoResult {
  readonly events: number
  readonly topics: number
  readonly deliveries: number
  /** Recorded attempts. */
  readonly attempts: number
  /** Deliveries that took another attempt by the schedule. */
  readonly retried: number
  /** Deliveries that took an attempt that was asked for by hand. */
  readonly retriedByHand: number
  /** Deliveries that did not arrive in the end. */
  readonly failed: number
  readonly signaturesValid: number
  readonly signaturesNotValid: number
  /** What did not end as it should, in sentences; none when all is well. */
  readonly problems: readonly string[]
}

/** What is not as it should be about a delivery that has ended. */
export function deliveryProblems(
  { eventId, destinationId, attempts }: DeliveryRecord,
  destinations: readonly DemoDestination[],
): string[] {
  const name = `${eventId} to ${destinationId}`
  const problems: string[] = []
  if (attempts.at(-1)?.status !== 'success') problems.push(`${name} did not arrive`)
  const expected = 1 + (destinations.find(({ id }) => id === destinationId)?.refusedTries ?? 0)
  if (attempts.length !== expected) {
    problems.push(`${name} took ${attempts.length} attempts instead of ${expected}`)
  }
  attempts.forEach(({ time }, i) => {
    const due = attempts[i - 1]?.next_attempt_at ?? null
    if (due !== null && time < due) problems.push(`${name} was retried before its time`)
  })
  return problems
}

/** What is not as it should be about the requests that arrived. */
export function arrivalProblems(arrivals: readonly Arrival[], attempts: number): string[] {
  const problems: string[] = []
  for (const { eventId, destinationId, verdict, isUnchanged } of arrivals) {
    const name = `${eventId} at ${destinationId}`
    if (verdict !== 'valid') problems.push(`the signature of ${name} is ${verdict}`)
    if (!isUnchanged) problems.push(`the data of ${name} is not what was published`)
  }
  if (arrivals.length !== attempts) {
    problems.push(`${arrivals.length} requests arrived, ${attempts} attempts are recorded`)
  }
  return problems
}

/** The result as the demo shows it at its end. */
export function describeResult(result: DemoResult): string {
  const signatures =
    result.signaturesNotValid === 0
      ? `${result.signaturesValid}`
      : `${result.signaturesValid}, NOT VALID: ${result.signaturesNotValid}`
  const rows = [
    ['events', `${result.events}`, `published, over ${result.topics} topics`],
    ['deliveries', `${result.deliveries}`, 'one for each destination that an event matched'],
    ['attempts', `${result.attempts}`, 'made and recorded'],
    ['retried', `${result.retried}`, 'by the schedule, after the receiver had refused them'],
    ['by hand', `${result.retriedByHand}`, 'retried on request, being not eligible for a retry'],
    ['failed', `${result.failed}`, 'not delivered in the end'],
    ['signatures valid', signatures, 'of the requests that arrived'],
  ]
  const table = rows.map(([what = '', count = '', note = '']) =>
    `  ${what.padEnd(17)} ${count.padStart(4)}  ${note}`.trimEnd(),
  )
  const problems = result.problems.map((problem) => `  - ${problem}`)
  const end =
    problems.length === 0 ? ['Everything ended as expected.'] : ['Not as expected:', ...problems]
  return ['', ...table, '', ...end].join('\n')
}
