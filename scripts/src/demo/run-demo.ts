import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiClient, type Attempt } from './api-client.ts'
import { type DemoReceiver, startDemoReceiver } from './demo-receiver.ts'
import { Ledger } from './ledger.ts'
import type { GivenPostrider } from './options.ts'
import { startOwnPostrider } from './own-postrider.ts'
import { arrivalProblems, deliveryProblems, type DemoResult } from './result.ts'
import { type DemoDestination, type DemoEvent, makeScene } from './scene.ts'

export interface DemoOptions {
  /** Null: the demo starts its own, and ends it. */
  readonly given: GivenPostrider | null
  /** Tells a fact, in one line. */
  readonly say: (line: string) => void
  /** Gives up; what was made is taken away all the same. */
  readonly signal: AbortSignal
}

/**
 * How often the receiver refuses, and how long all of it may take. A Postrider that is given has its
 * own schedule, by default 30 s before the first retry and twice as long before each further one.
 */
const OWN = { refusedTries: 2, deadlineMs: 60_000 }
const GIVEN = { refusedTries: 1, deadlineMs: 120_000 }
const POLL_MS = 50

interface Stage {
  readonly api: ApiClient
  readonly receiver: DemoReceiver
  readonly events: readonly DemoEvent[]
  readonly destinations: readonly DemoDestination[]
  readonly ledger: Ledger
  readonly say: (line: string) => void
  readonly signal: AbortSignal
  /** By `performance.now()`. */
  readonly deadline: number
}

/**
 * Publishes real GitHub payloads to destinations whose receiver verifies signatures and refuses some
 * first tries, follows what Postrider records of them, and checks that all of it ended as it should.
 * Leaves nothing behind: neither its own Postrider nor its tenant in one that was given.
 *
 * @throws {ApiCallError} When Postrider does not answer, or refuses a call
 */
export async function runDemo({ given, say, signal }: DemoOptions): Promise<DemoResult> {
  const { refusedTries, deadlineMs } = given === null ? OWN : GIVEN
  const scene = makeScene(refusedTries)
  const own = given === null ? await startOwnPostrider(say, signal) : null
  const { url, apiKey } = given ?? own ?? { url: '', apiKey: '' }
  const tenant = `demo-${randomBytes(6).toString('hex')}`
  const clientOf = (by: AbortSignal): ApiClient =>
    new ApiClient({ url, apiKey, tenant, signal: by })
  try {
    const receiver = await startDemoReceiver(scene.destinations, scene.events)
    try {
      const deadline = performance.now() + deadlineMs
      const api = clientOf(signal)
      return await play({ ...scene, api, receiver, ledger: new Ledger(), say, signal, deadline })
    } finally {
      await receiver.stop()
      // Not under the signal that may have ended the demo; without a tenant there is none to delete.
      if (own === null)
        await clientOf(AbortSignal.timeout(5000))
          .deleteTenant()
          .catch(() => null)
    }
  } finally {
    await own?.stop()
  }
}

async function play(stage: Stage): Promise<DemoResult> {
  const { receiver, events, ledger } = stage
  await setUp(stage)
  const problems = await watch(stage, publishAll(stage))
  problems.push(...(await endProblems(stage)))
  const { deliveries } = ledger
  const valid = receiver.arrivals.filter(({ verdict }) => verdict === 'valid').length
  return {
    events: events.length,
    topics: new Set(events.map(({ topic }) => topic)).size,
    deliveries: deliveries.length,
    attempts: ledger.attempts,
    retried: deliveries.filter(({ attempts }) => attempts.filter((a) => !a.manual).length > 1)
      .length,
    retriedByHand: deliveries.filter(({ attempts }) => attempts.some((a) => a.manual)).length,
    failed: deliveries.filter(({ attempts }) => attempts.at(-1)?.status !== 'success').length,
    signaturesValid: valid,
    signaturesNotValid: receiver.arrivals.length - valid,
    problems,
  }
}

async function setUp({ api, receiver, destinations, say }: Stage): Promise<void> {
  await api.createTenant()
  for (const { id, topics, filter } of destinations) {
    const secret = await api.createWebhook({ id, topics, filter, url: `${receiver.url}/${id}` })
    receiver.learnSecret(id, secret)
    const passing = filter === null ? '' : `, filter ${JSON.stringify(filter)}`
    say(`destination  ${id}: topics ${topics.join(', ')}${passing}`)
  }
}

/** Publishes the events, and one of them twice; answers with what was not as it should be. */
async function publishAll(stage: Stage): Promise<string[]> {
  const { api, events, destinations, ledger, say } = stage
  const problems: string[] = []
  for (const event of events) {
    const answer = await api.publish(bodyOf(event))
    say(`published    ${event.id} → ${answer.destination_ids.join(', ')}`)
    for (const destinationId of answer.destination_ids) ledger.expect(event.id, destinationId)
    const wanted = destinations.filter((each) => each.wants(event)).map(({ id }) => id)
    if (wanted.toSorted().join() !== [...answer.destination_ids].toSorted().join()) {
      problems.push(`${event.id} goes to ${answer.destination_ids.join()}, not ${wanted.join()}`)
    }
  }
  const [again] = events
  if (again !== undefined) {
    const { duplicate } = await api.publish(bodyOf(again))
    say(`published    ${again.id} again: ${duplicate ? 'a duplicate, not sent twice' : 'TWICE'}`)
    if (!duplicate) problems.push(`${again.id} was published twice`)
  }
  return problems
}

function bodyOf({ id, topic, data, isEligibleForRetry }: DemoEvent): Record<string, unknown> {
  return { id, topic, data, eligible_for_retry: isEligibleForRetry }
}

/**
 * Tells every attempt once it is recorded, and retries by hand what failed for good, until everything
 * is published and nothing more will happen. Answers as the publishing does.
 */
async function watch(stage: Stage, publishing: Promise<string[]>): Promise<string[]> {
  const { api, ledger, signal, deadline } = stage
  const published = publishing.finally(() => ledger.close())
  // Should the watching fail first, the failure of the publishing is of no interest.
  published.catch(() => null)
  while (!ledger.isSettled && performance.now() < deadline) {
    for (const attempt of ledger.take(await api.attempts())) await follow(stage, attempt)
    await pause(POLL_MS, undefined, { signal })
  }
  return await published
}

async function follow({ api, receiver, say }: Stage, attempt: Attempt): Promise<void> {
  const { event_id, destination_id, attempt_number, code, next_attempt_at } = attempt
  const name = `${event_id} → ${destination_id}`
  const arrival = receiver.arrivals.filter(
    (each) => each.eventId === event_id && each.destinationId === destination_id,
  )[attempt_number - 1]
  const facts = `${name.padEnd(30)} attempt ${attempt_number}: ${code}`
  if (attempt.status === 'success') {
    say(`delivered    ${facts}, signature ${arrival?.verdict ?? 'not seen'}`)
  } else if (next_attempt_at !== null) {
    const waitS = (Date.parse(next_attempt_at) - Date.parse(attempt.time)) / 1000
    say(`failed       ${facts}, retry after ${waitS.toFixed(1)} s`)
  } else {
    say(`failed       ${facts}, no retry follows`)
    if (attempt.manual) return
    say(`by hand      ${name.padEnd(30)} retry asked for`)
    await api.retry(event_id, destination_id)
  }
}

async function endProblems(stage: Stage): Promise<string[]> {
  const { api, receiver, events, destinations, ledger } = stage
  const statuses = new Map((await api.events()).map(({ id, status }) => [id, status]))
  return [
    ...ledger.deliveries.flatMap((delivery) => deliveryProblems(delivery, destinations)),
    ...arrivalProblems(receiver.arrivals, ledger.attempts),
    ...events
      .filter(({ id }) => statuses.get(id) !== 'success')
      .map(({ id }) => `the status of ${id} is ${statuses.get(id) ?? 'unknown'}`),
  ]
}
