import type { Agent } from 'node:http'
import type { Deed, Ledger } from '../ledger.ts'
import { hashOf } from '../plan.ts'
import { type Call, type CallAnswer, forward } from './aws-call.ts'

/** What a call carries, and for whom. */
export interface Load {
  readonly placeId: string
  readonly messages: readonly { readonly eventId: string; readonly data: Buffer }[]
}

/** A way for a service to say no. */
export interface Refusal {
  readonly name: string
  readonly status: number
  /** What Postrider calls it. */
  readonly code: string
}

/** What the front must know of the protocol of a service. */
export interface AwsProtocol {
  readonly refusals: readonly Refusal[]
  read(call: Call): Load
  refuse(refusal: Refusal): CallAnswer
  /** The call without these messages; null: its messages only come together. */
  without(call: Call, refused: ReadonlySet<number>): Call | null
  /** The server's answer to the others, and the refusal of these, as one. */
  join(answer: CallAnswer, refused: ReadonlySet<number>, refusal: Refusal): CallAnswer
  /** Which messages the server has taken, by its answer. */
  taken(answer: CallAnswer, load: Load): readonly boolean[]
}

export interface FrontedCallOptions {
  /** The base URL of the server. */
  readonly target: string
  readonly agent: Agent
  readonly protocol: AwsProtocol
  readonly ledger: Ledger
}

/** A call on its way through a front, which tells the ledger what became of each of its messages. */
export class FrontedCall {
  readonly load: Load
  readonly #call: Call
  readonly #options: FrontedCallOptions

  constructor(call: Call, options: FrontedCallOptions) {
    this.#call = call
    this.#options = options
    this.load = options.protocol.read(call)
  }

  recordAll(deed: Deed, code: string | null = null): void {
    this.load.messages.forEach((_, i) => this.#record(i, deed, code))
  }

  /** The server's answer; what it has taken is recorded as `deed`. */
  async pass(deed: Deed): Promise<CallAnswer> {
    return this.#passOn(this.#call, deed, new Set())
  }

  /**
   * An answer that refuses these messages, and all where they only come together; the others are passed
   * on.
   *
   * @param some - null: all of them
   */
  async refuse(refusal: Refusal, some: ReadonlySet<number> | null): Promise<CallAnswer> {
    const { protocol } = this.#options
    const rest = some === null ? null : protocol.without(this.#call, some)
    if (some === null || rest === null) {
      this.recordAll('refused', refusal.code)
      return protocol.refuse(refusal)
    }
    for (const i of some) this.#record(i, 'refused', refusal.code)
    return protocol.join(await this.#passOn(rest, 'acknowledged', some), some, refusal)
  }

  async #passOn(call: Call, deed: Deed, left: ReadonlySet<number>): Promise<CallAnswer> {
    const { target, agent, protocol, ledger } = this.#options
    const { placeId, messages } = this.load
    const answer = await forward(target, call, agent)
    const passed = messages.map((_, i) => i).filter((i) => !left.has(i))
    const taken = protocol.taken(answer, {
      placeId,
      messages: messages.filter((_, i) => !left.has(i)),
    })
    passed.forEach((i, at) => {
      if (taken[at] === true) this.#record(i, deed)
      else ledger.surprise(`${placeId} did not take a message: ${String(answer.body)}`)
    })
    return answer
  }

  #record(i: number, deed: Deed, code: string | null = null): void {
    const { eventId, data } = this.load.messages[i] ?? { eventId: '', data: Buffer.alloc(0) }
    this.#options.ledger.record(this.load.placeId, eventId, { deed, code, hash: hashOf(data) })
  }
}
