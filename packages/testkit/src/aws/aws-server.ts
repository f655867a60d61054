import { startFauxqs } from 'fauxqs'

/** SQS and S3 on one port, in this process, over the protocols of AWS. */
export interface AwsServer {
  readonly url: string
  /** Makes a queue in this region, a FIFO queue if its name says so, and returns its URL. */
  createQueue(name: string, region: string): string
  createBucket(name: string): void
  /** Removes all messages and objects. */
  clear(): void
  /** Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts the server; whoever starts it stops it. It asks nobody for credentials, keeps no storage class
 * and has no errors but its own: for those there is `startAwsFaults` in front of it.
 */
export async function startAwsServer(): Promise<AwsServer> {
  const server = await startFauxqs({ port: 0, host: 'localhost', logger: false })
  await takeAllCharacters()
  const url = `http://127.0.0.1:${server.port}`
  let stopped: Promise<void> | null = null
  return {
    url,
    createQueue(name, region) {
      const attributes = name.endsWith('.fifo') ? { FifoQueue: 'true' } : {}
      return server.createQueue(name, { region, attributes }).queueUrl
    },
    createBucket: (name) => void server.createBucket(name),
    clear: () => server.reset(),
    async stop() {
      stopped ??= server.stop()
      await stopped
    },
  }
}

/** It takes every character above U+FFFF for one that SQS refuses; SQS takes them. */
async function takeAllCharacters(): Promise<void> {
  const path = new URL('./sqs/sqsTypes.js', import.meta.resolve('fauxqs')).href
  const module = (await import(path)) as { INVALID_MESSAGE_BODY_CHAR: RegExp }
  // Its modules share this one expression.
  module.INVALID_MESSAGE_BODY_CHAR.compile(
    String.raw`[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]`,
    'u',
  )
}
