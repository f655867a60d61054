import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from './child.ts'

/**
 * The receiver of all runs: reads each request to its end and answers 200. Bodies that carry the time
 * at which they were published (`"at":<ms>`) are timed. After an answer at `/close` the connection is closed.
 */
let count = 0
let latenciesMs: number[] = []

const server = createServer((request, response) => {
  let head = ''
  request.on('data', (chunk: Buffer) => {
    if (head === '') head = chunk.toString('latin1', 0, 64)
  })
  request.on('end', () => {
    count++
    const at = /"at":(\d+)/.exec(head)?.[1]
    if (at !== undefined && at !== '0') latenciesMs.push(Date.now() - Number(at))
    if (request.url === '/close') response.setHeader('connection', 'close')
    response.end()
  })
})
server.keepAliveTimeout = 60_000

serve({
  start: () =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  reset: () => {
    count = 0
    latenciesMs = []
  },
  count: () => count,
  latencies: () => {
    const sorted = latenciesMs.toSorted((a, b) => a - b)
    const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0
    return { p50Ms: at(0.5), p99Ms: at(0.99) }
  },
})
