import { listen, type ReceivedRequest } from '../receiver/listen.ts'
import { type Verdict, verdictOn } from '../receiver/signature.ts'
import type { DemoDestination, DemoEvent } from './scene.ts'

/** A request that came for a destination of the demo. */
export interface Arrival {
  readonly eventId: string
  readonly destinationId: string
  readonly verdict: Verdict
  /** The body is `data` as it was published, byte for byte. */
  readonly isUnchanged: boolean
  readonly status: number
}

/** The customers' systems: one path for each destination. */
export interface DemoReceiver {
  readonly url: string
  /** Everything that arrived, in order. */
  readonly arrivals: readonly Arrival[]
  /** The secret of a destination, once there is one. */
  learnSecret(destinationId: string, secret: string): void
  stop(): Promise<void>
}

/** Listens on a free port; refuses as many tries of each delivery as its destination says. */
export async function startDemoReceiver(
  destinations: readonly DemoDestination[],
  events: readonly DemoEvent[],
): Promise<DemoReceiver> {
  const arrivals: Arrival[] = []
  const secrets = new Map<string, string>()
  const published = new Map(events.map(({ id, data }) => [id, JSON.stringify(data)]))
  const onRequest = async ({ path, headers, body }: ReceivedRequest): Promise<number> => {
    const destinationId = path.slice(1)
    const eventId = String(headers['x-service-id'])
    const refusals = destinations.find(({ id }) => id === destinationId)?.refusedTries ?? 0
    const secret = secrets.get(destinationId)
    const verdict = await verdictOn({ headers, body }, secret === undefined ? [] : [secret])
    const before = arrivals.filter(
      (a) => a.eventId === eventId && a.destinationId === destinationId,
    )
    const status = before.length < refusals ? 503 : 200
    arrivals.push({
      eventId,
      destinationId,
      verdict,
      isUnchanged: body.toString('utf8') === published.get(eventId),
      status,
    })
    return status
  }
  const listener = await listen({ port: 0, onRequest })
  return {
    url: listener.url,
    arrivals,
    learnSecret: (destinationId, secret) => void secrets.set(destinationId, secret),
    stop: () => listener.stop(),
  }
}
