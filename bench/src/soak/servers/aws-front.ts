import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Deed, Ledger } from '../ledger.ts'
import { hashOf } from '../plan.ts'
import { Troubles } from '../troubles.ts'
import type { Place } from '../type-server.ts'
import { type Call, type CallAnswer, forward, give, receive } from './aws-call.ts'

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

/** Stands before a server that never fails, fails for it at random, and keeps the ledger. */
export interface AwsFront {
  readonly url: string
  add(place: Place): void
  /** Idempotent. */
  stop(): Promise<void>
}

/** @param target - the base URL of the server */
export async function startAwsFront(
  target: string,
  protocol: AwsProtocol,
  ledger: Ledger,
): Promise<AwsFront> {
  const troubles = new Map<string, Troubles>()
  const agent = new Agent({ keepAlive: true })

  const onCall = async (incoming: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const call = await receive(incoming)
    if (call === null) return
    const load = protocol.read(call)
    const record = (i: number, deed: Deed, code: string | null = null): void => {
      const { eventId, data } = load.messages[i] ?? { eventId: '', data: Buffer.alloc(0) }
      ledger.record(load.placeId, eventId, { deed, code, hash: hashOf(data) })
    }
    const recordAll = (deed: Deed, code?: string): void => {
      load.messages.forEach((_, i) => record(i, deed, code))
    }
    /** Passes it on; records as `deed` what was taken. */
    const pass = async (some: Call, deed: Deed, left: ReadonlySet<number>): Promise<CallAnswer> => {
      const result = await forward(target, some, agent)
      const passed = load.messages.map((_, i) => i).filter((i) => !left.has(i))
      const taken = protocol.taken(result, {
        ...load,
        messages: load.messages.filter((_, i) => !left.has(i)),
      })
      passed.forEach((i, at) => {
        if (taken[at] === true) record(i, deed)
        else ledger.surprise(`${load.placeId} did not take a message: ${String(result.body)}`)
      })
      return result
    }

    const ill = troubles.get(load.placeId)
    const trouble = ill?.next() ?? null
    if (ill === undefined || trouble === null) {
      give(answer, await pass(call, 'acknowledged', new Set()))
      return
    }
    switch (trouble) {
      case 'refuse':
      case 'refuse-some': {
        const refusal = ill.refusal(protocol.refusals)
        const refused = ill.some(load.messages.length)
        const rest = trouble === 'refuse-some' ? protocol.without(call, refused) : null
        if (rest === null) {
          recordAll('refused', refusal.code)
          give(answer, protocol.refuse(refusal))
          return
        }
        for (const i of refused) record(i, 'refused', refusal.code)
        give(answer, protocol.join(await pass(rest, 'acknowledged', refused), refused, refusal))
        return
      }
      case 'cut':
        recordAll('silent')
        incoming.socket.resetAndDestroy()
        return
      case 'hang':
        recordAll('silent')
        return
      case 'take-and-cut':
        await pass(call, 'lost', new Set())
        incoming.socket.resetAndDestroy()
        return
      case 'take-and-hang':
        await pass(call, 'lost', new Set())
    }
  }

  const server = createServer((incoming, answer) => {
    onCall(incoming, answer).catch((error: unknown) => {
      ledger.surprise(`a call could not be passed on: ${String(error)}`)
      answer.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    add({ id, isIll, random }) {
      if (isIll) troubles.set(id, new Troubles(random))
    },
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      agent.destroy()
    },
  }
}
