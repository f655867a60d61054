import { Agent } from 'undici'
import { serve } from './child.ts'

interface Run {
  readonly port: number
  readonly apiKey: string
  readonly count: number
  readonly tenants: number
  readonly topics: number
  /** Publishes per second; 0: as fast as it can. */
  readonly rate: number
}

const CONNECTIONS = 128
const FILLING = 'x'.repeat(950)

/** Publishes events of 1 KB over many connections, in turn for every tenant and topic. */
const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 })

serve({
  run: async ({ port, apiKey, count, tenants, topics, rate }: Run) => {
    const origin = `http://127.0.0.1:${port}`
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` }
    const startedAt = performance.now()
    let sent = 0
    const lane = async (): Promise<void> => {
      while (sent < count) {
        const n = sent++
        if (rate > 0) {
          const dueInMs = startedAt + (n * 1000) / rate - performance.now()
          if (dueInMs > 1) await new Promise((resolve) => setTimeout(resolve, dueInMs))
        }
        const body = `{"tenant_id":"tenant-${n % tenants}","topic":"topic-${Math.floor(n / tenants) % topics}","metadata":{"source":"bench"},"data":{"at":${Date.now()},"n":${n},"filling":"${FILLING}"}}`
        const answer = await agent.request({
          origin,
          path: '/api/v1/publish',
          method: 'POST',
          headers,
          body,
        })
        if (answer.statusCode !== 202) throw new Error(await answer.body.text())
        await answer.body.dump()
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, lane))
    return count / ((performance.now() - startedAt) / 1000)
  },
})
