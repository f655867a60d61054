import { Batcher } from '@postrider/common'
import type { SendResult } from './destination-type.ts'
import { failed } from './send-result.ts'

/** A call that failed as a whole. */
export interface CallFailure {
  readonly result: SendResult
  /** One of several messages may be the reason, and the others may be sent without it. */
  readonly isAboutContent: boolean
}

/** One result for each message, in order; or what came of all of them. */
export type CallResult =
  | { readonly kind: 'answered'; readonly results: readonly SendResult[] }
  | ({ readonly kind: 'failed' } & CallFailure)

export interface BatchedSendsOptions<M> {
  /** Messages in one call, at most. */
  readonly maxItems: number
  /** Bytes in one call, at most. */
  readonly maxBytes: number
  readonly bytesOf: (message: M) => number
  /** Calls at once, at most. */
  readonly concurrency: number
  /** Makes a call, which ends when the signal aborts. Rejects for faults of ours only. */
  readonly call: (messages: readonly M[], signal: AbortSignal) => Promise<CallResult>
}

interface Parcel<M> {
  readonly message: M
  readonly signal: AbortSignal
}

/**
 * Lets messages that are sent at the same time share calls; one that comes alone goes at once. Each
 * keeps its own deadline, and a call ends early only when all of its messages have passed theirs.
 *
 * A call that is refused for what may be the fault of one message is made again in halves, until that
 * message stands alone: nothing of a refused call was taken.
 */
export class BatchedSends<M> {
  readonly #batcher: Batcher<Parcel<M>, SendResult>
  readonly #call: BatchedSendsOptions<M>['call']

  constructor({ maxItems, maxBytes, bytesOf, concurrency, call }: BatchedSendsOptions<M>) {
    this.#call = call
    this.#batcher = new Batcher({
      maxItems,
      maxBytes,
      bytesOf: ({ message }) => bytesOf(message),
      concurrency,
      run: async (parcels) => this.#run(parcels),
    })
  }

  /**
   * Resolves with what came of the message; with `timeout` as soon as the signal aborts.
   *
   * @throws When the fault is ours
   */
  async send(message: M, signal: AbortSignal): Promise<SendResult> {
    return Promise.race([this.#batcher.add({ message, signal }), expiry(signal)])
  }

  async #run(parcels: readonly Parcel<M>[]): Promise<readonly SendResult[]> {
    const open = parcels.filter(({ signal }) => !signal.aborted)
    const results = open.length === 0 ? [] : await this.#deliver(open)
    const byParcel = new Map(open.map((parcel, i) => [parcel, results[i]]))
    return parcels.map((parcel) => byParcel.get(parcel) ?? failed('timeout'))
  }

  /** One result for each, in order. */
  async #deliver(parcels: readonly Parcel<M>[]): Promise<readonly SendResult[]> {
    const messages = parcels.map(({ message }) => message)
    const call = await this.#call(messages, abortedAfterAll(parcels.map(({ signal }) => signal)))
    if (call.kind === 'answered') return call.results
    if (!call.isAboutContent || parcels.length === 1) return parcels.map(() => call.result)
    const half = Math.ceil(parcels.length / 2)
    // One after the other, for queues that keep order.
    const first = await this.#run(parcels.slice(0, half))
    return [...first, ...(await this.#run(parcels.slice(half)))]
  }
}

async function expiry(signal: AbortSignal): Promise<SendResult> {
  return new Promise((resolve) => {
    const expire = (): void => resolve(failed('timeout'))
    if (signal.aborted) expire()
    else signal.addEventListener('abort', expire, { once: true })
  })
}

/** Of signals none of which has aborted. */
function abortedAfterAll(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController()
  let open = signals.length
  for (const signal of signals) {
    const count = (): void => {
      open -= 1
      if (open === 0) controller.abort()
    }
    signal.addEventListener('abort', count, { once: true })
  }
  return controller.signal
}
