import { Redis } from 'ioredis'
import { COMMANDS } from './commands.ts'

export interface ConnectionOptions {
  readonly url: string
  /** A command without an answer fails after this long. */
  readonly commandTimeoutMs: number
}

/**
 * A connection that dials at once, and again for ever whenever it is lost. Its commands fail fast: none
 * waits for a connection, none is sent twice, and each is answered or failed within its timeout. The
 * caller listens to `error` (else ioredis writes it to the console) and closes it.
 */
export function openConnection({ url, commandTimeoutMs }: ConnectionOptions): Redis {
  return new Redis(url, {
    connectionName: 'postrider',
    scripts: COMMANDS,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2000,
    // A server that hangs answers no goodbye either.
    disconnectTimeout: 100,
    keepAlive: 10_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    // Short, because an outage loosens the bounds; spread, because all processes come back together.
    retryStrategy: () => 200 + Math.random() * 200,
  })
}

/** Drops the connection and dials anew, unless it is being dialled already. */
export function redial(redis: Redis): void {
  if (redis.status === 'ready') redis.disconnect(true)
}

/** Closes the connection, after the answers to what was sent where the server still gives them. */
export async function closeConnection(redis: Redis): Promise<void> {
  if (redis.status === 'ready') {
    // Not answered: it is cut below.
    await redis.quit().catch(() => null)
  }
  if (redis.status === 'end') return
  // Between two dials there is nothing to close, and no event will tell so.
  if (redis.status === 'reconnecting') return redis.disconnect()
  await new Promise<void>((resolve) => {
    // n.b. not events.once, which takes an error for an answer: while it is being connected, the first
    // commands fail on the closed connection, and the end is still to come.
    redis.once('end', resolve)
    redis.disconnect()
  })
}
