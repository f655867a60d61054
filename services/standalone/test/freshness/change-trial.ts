import { randomInt } from 'node:crypto'
import { newUid } from '@postrider/common'
import type { ReceivedRequest, Receiver } from '@postrider/testkit'
import type { DestinationAnswer } from '../client.ts'
import { type Signing, SIGNING_HEADER } from './recorded-deliverer.ts'
import { startSteadyLoad } from './steady-load.ts'
import { TwoDeliverers } from './two-deliverers.ts'

const EVENTS_PER_SECOND = 500
/** What ARCHITECTURE.md, "Delivery, and the five rules" promises of a change that has committed. */
export const IN_TIME_MS = 5000
/** The load goes on beyond the promise, so that there is something to judge. */
const WATCHED_MS = IN_TIME_MS + 1500
/** Both deliverers know all three destinations by then. */
const WARM_UP_REQUESTS = 700
const DEADLINE_MS = 60_000
/** For a hook with a trial in it, whose own deadlines say more. */
export const CHANGE_TRIAL_TIMEOUT_MS = 150_000

/** A request that arrived, and when it was signed. */
export interface Arrival {
  readonly request: ReceivedRequest
  /** Where it was sent to. */
  readonly url: string
  readonly eventId: string
  /** Which deliverer signed it, from 0. */
  readonly deliverer: number
  /** Milliseconds from the commit of its destination's change; negative: before it. */
  readonly signedAfterMs: number
}

/** A destination that was changed in the midst of the load, and what came of its events. */
export interface ChangedDestination {
  readonly before: DestinationAnswer
  readonly after: DestinationAnswer
  /** The ids of the events for it that got a 202. */
  readonly accepted: ReadonlySet<string>
  readonly arrivals: readonly Arrival[]
  /** The ids of the events that it was not sent because it was disabled. */
  readonly skipped: ReadonlySet<string>
}

/** Three destinations with a third of the load each, which were changed in the same moment. */
export interface ChangeTrial {
  /** Got a new secret; the old one stays valid beside it. */
  readonly rotated: ChangedDestination
  /** Got the URL of another receiver. */
  readonly moved: ChangedDestination
  /**
   * Was disabled. It had failed every attempt, and what failed shortly before is due again later than it
   * must be known: new events would not even become jobs.
   */
  readonly disabled: ChangedDestination
}

export interface ChangeTrialOptions {
  /** Kills Redis just before the changes, so that nobody hears of them. */
  readonly isRedisKilled: boolean
}

const NAMES = ['rotated', 'moved', 'disabled'] as const

/** Publishes steadily, changes the destinations by the API, and reports when every delivery has ended. */
export async function runChangeTrial({ isRedisKilled }: ChangeTrialOptions): Promise<ChangeTrial> {
  await using set = await TwoDeliverers.start()
  const { client, receivers, redis } = set
  const { here, elsewhere, failing } = receivers
  const tenant = `tenant-${newUid()}`
  await client.createTenant(tenant)
  const before = await each((name) => {
    const { url } = name === 'disabled' ? failing : here
    return client.createWebhook(tenant, `${url}/${name}`, { topics: [name] })
  })

  const accepted = {
    rotated: new Set<string>(),
    moved: new Set<string>(),
    disabled: new Set<string>(),
  }
  await using load = startSteadyLoad(EVENTS_PER_SECOND, async () => {
    // At random: the broker hands out jobs in turn, and topics that take turns as well could each come
    // to the same deliverer every time.
    const topic = NAMES[randomInt(NAMES.length)] ?? 'rotated'
    const event = { tenant_id: tenant, topic, data: { some: 'data' } }
    accepted[topic].add((await client.publish(event)).id)
  })
  await here.waitFor(WARM_UP_REQUESTS, DEADLINE_MS)
  if (isRedisKilled) await redis.kill()
  const changes = {
    rotated: { credentials: { rotate_secret: 'true' } },
    moved: { config: { url: `${elsewhere.url}/moved` } },
    disabled: null,
  }
  const after = await each((name) => {
    const { id } = before[name]
    const patch = changes[name]
    return patch === null
      ? client.disableDestination(tenant, id)
      : client.changeDestination(tenant, id, patch)
  })
  await set.signedAfter(Math.max(...NAMES.map((name) => changedAtMs(after[name]))) + WATCHED_MS)
  await load.end()
  await set.settled()

  const sent = sentRequests(Object.values(receivers), set.signings)
  return await each(async (name) => ({
    before: before[name],
    after: after[name],
    accepted: accepted[name],
    arrivals: sent
      .filter(({ request }) => request.path === `/${name}`)
      .map(({ signedAtMs, ...rest }) => ({
        ...rest,
        signedAfterMs: signedAtMs - changedAtMs(after[name]),
      })),
    skipped: await set.skippedFor(before[name].id),
  }))
}

type Name = (typeof NAMES)[number]

/** The same for each destination, at once. */
async function each<T>(make: (name: Name) => Promise<T>): Promise<Record<Name, T>> {
  const [rotated, moved, disabled] = await Promise.all([
    make('rotated'),
    make('moved'),
    make('disabled'),
  ])
  return { rotated, moved, disabled }
}

/** By Postgres' clock, no later than the commit: what is counted from it is not flattered. */
function changedAtMs({ updated_at }: DestinationAnswer): number {
  return Date.parse(updated_at)
}

type SentRequest = Omit<Arrival, 'signedAfterMs'> & { readonly signedAtMs: number }

/** Everything that arrived, together with its signing. */
function sentRequests(receivers: readonly Receiver[], signings: readonly Signing[]): SentRequest[] {
  return receivers.flatMap(({ url: origin, requests }) =>
    requests.map((request) => {
      const signing = signings[Number(request.headers[SIGNING_HEADER])]
      if (signing === undefined) throw new Error('a request arrived that nobody has signed')
      const { deliverer, atMs } = signing
      const eventId = request.eventId ?? ''
      return { request, url: origin + request.path, eventId, deliverer, signedAtMs: atMs }
    }),
  )
}
