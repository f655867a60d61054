import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'

/** A Kinesis on a free port of 127.0.0.1, in memory. */
export interface KinesisServer {
  readonly url: string
  /** Ends its process. Idempotent. */
  stop(): Promise<void>
}

/** Its streams are ready at once; it goes when its parent goes. */
const SCRIPT = `
  const server = require(process.argv[1])({ createStreamMs: 1, shardLimit: 1000 })
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
  process.on('disconnect', () => process.exit())
`

/**
 * Starts the server; whoever starts it stops it. It has a process to itself, because a client that goes
 * away in the middle of a request ends it.
 */
export async function startKinesisServer(): Promise<KinesisServer> {
  const module = createRequire(import.meta.url).resolve('kinesalite')
  const child = spawn(process.execPath, ['--eval', SCRIPT, module], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const [port] = await Promise.race([
    once(child, 'message') as Promise<[number]>,
    exited.then(() => Promise.reject(new Error('the Kinesis of the tests did not start'))),
  ])
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
