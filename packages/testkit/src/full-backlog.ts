import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/** A port of 127.0.0.1 on which connecting takes for ever: its queue is full, and nobody accepts. */
export interface FullBacklog {
  readonly port: number
  stop(): Promise<void>
}

/** Far more than the smallest queue takes. */
const FILLERS = 8

// The thread sleeps from the moment that it listens: connections end up in the kernel's queue.
const LISTEN_AND_SLEEP = `
const { parentPort } = require('node:worker_threads')
const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
})`

/** Listens without accepting; whoever starts it stops it. */
export async function startFullBacklog(): Promise<FullBacklog> {
  const worker = new Worker(LISTEN_AND_SLEEP, { eval: true })
  const [port] = (await once(worker, 'message')) as [number]
  const fillers: Socket[] = []
  for (let i = 0; i < FILLERS; i++) {
    const filler = connect(port, '127.0.0.1')
    filler.on('error', () => undefined)
    fillers.push(filler)
  }
  return {
    port,
    stop: async () => {
      for (const filler of fillers) filler.destroy()
      await worker.terminate()
    },
  }
}
