import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ledger } from '../ledger.ts'
import { Troubles } from '../troubles.ts'
import type { Place } from '../type-server.ts'
import { give, receive } from './aws-call.ts'
import { type AwsProtocol, FrontedCall } from './fronted-call.ts'

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
    const fronted = new FrontedCall(call, { target, agent, protocol, ledger })
    const ill = troubles.get(fronted.load.placeId)
    const trouble = ill?.next() ?? null
    if (ill === undefined || trouble === null) {
      give(answer, await fronted.pass('acknowledged'))
      return
    }
    switch (trouble) {
      case 'refuse':
      case 'refuse-some': {
        const refusal = ill.refusal(protocol.refusals)
        const refused = trouble === 'refuse-some' ? ill.some(fronted.load.messages.length) : null
        give(answer, await fronted.refuse(refusal, refused))
        return
      }
      case 'cut':
        fronted.recordAll('silent')
        incoming.socket.resetAndDestroy()
        return
      case 'hang':
        fronted.recordAll('silent')
        return
      case 'take-and-cut':
        await fronted.pass('lost')
        incoming.socket.resetAndDestroy()
        return
      case 'take-and-hang':
        await fronted.pass('lost')
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
