import { once } from 'node:events'
import type { Server } from 'node:http'

/** A server that listens and stops without cutting anybody off. */
export interface Listener {
  /** @throws When the address cannot be had (EADDRINUSE, EACCES) */
  start(host: string, port: number): Promise<{ readonly port: number }>
  stop(): Promise<void>
}

/** No request of ours takes longer to arrive; a body that trickles in would hold memory. */
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than the idle timeouts of load balancers (60 s), which else race with our close. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000

/** Takes over `server`; only the listener may start and stop it. */
export function listen(server: Server): Listener {
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
  return {
    async start(host, port) {
      server.listen(port, host)
      await once(server, 'listening')
      const address = server.address()
      return { port: typeof address === 'object' && address !== null ? address.port : port }
    },
    async stop() {
      if (!server.listening) return
      // Connections that are idle are closed by this; the others soon after their answer is written.
      server.keepAliveTimeout = 1
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
