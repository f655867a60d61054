import { createHmac } from 'node:crypto'
import { Agent } from 'undici'
import { cpuUs, serve } from './child.ts'

interface Run {
  readonly port: number
  readonly count: number
  /** Requests per second; 0: as fast as it can. */
  readonly rate: number
}

const CONNECTIONS = 32
const BODY = Buffer.from(JSON.stringify({ at: 0, filling: 'x'.repeat(1000) }))
const KEY = 'whsec_c2VjcmV0LW9mLXRoZS1mbG9vcg=='

/**
 * The floor of a delivery: a bare loop of signed POSTs over undici's dispatcher, with nothing of a
 * delivery service around it.
 */
const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 })

function post(origin: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timestamp = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', KEY).update(`${timestamp}.`).update(BODY).digest('hex')
    agent.dispatch(
      {
        origin,
        path: '/',
        method: 'POST',
        headers: [
          'content-type',
          'application/json',
          'x-service-id',
          'evt_1',
          'x-service-timestamp',
          String(timestamp),
          'x-service-topic',
          'bench',
          'x-service-signature',
          `t=${timestamp},v0=${signature}`,
        ],
        body: BODY,
      },
      {
        onConnect: () => undefined,
        onHeaders: () => true,
        onData: () => true,
        onComplete: () => resolve(),
        onError: reject,
      },
    )
  })
}

serve({
  run: async ({ port, count, rate }: Run) => {
    const origin = `http://127.0.0.1:${port}`
    const startedAt = performance.now()
    const startedCpu = cpuUs()
    let sent = 0
    const lane = async (): Promise<void> => {
      while (sent < count) {
        const n = sent++
        if (rate > 0) {
          const dueInMs = startedAt + (n * 1000) / rate - performance.now()
          if (dueInMs > 1) await new Promise((resolve) => setTimeout(resolve, dueInMs))
        }
        await post(origin)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, lane))
    const seconds = (performance.now() - startedAt) / 1000
    return { cpuUs: (cpuUs() - startedCpu) / count, perSecond: count / seconds }
  },
})
