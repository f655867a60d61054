import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '@postrider/common'
import { readSettings } from '@postrider/config'
import { startStandalone } from '@postrider/standalone'
import type { GivenPostrider } from './options.ts'

/** A Postrider that runs for the demo alone. */
export interface OwnPostrider extends GivenPostrider {
  /** Stops it and deletes what it kept. */
  stop(): Promise<void>
}

/** Short, so that nobody waits for the demo; as exact as any other schedule. */
const RETRY_SCHEDULE = '0.4,0.8,1.6'

/** Starts the standalone service in this process, on a free port and a temporary directory. */
export async function startOwnPostrider(
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<OwnPostrider> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-demo-'))
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true })
  const apiKey = randomBytes(24).toString('base64url')
  try {
    const service = await startStandalone({
      settings: readSettings(
        {
          DATA_DIR: dataDir,
          API_HOST: '127.0.0.1',
          API_PORT: '0',
          API_KEY: apiKey,
          API_JWT_SECRET: randomBytes(32).toString('base64url'),
          AES_ENCRYPTION_SECRET: randomBytes(32).toString('base64url'),
          RETRY_SCHEDULE,
        },
        { mode: 'standalone' },
      ),
      log: onlyErrors(say),
      signal,
      progress: say,
    })
    const stop = async (): Promise<void> => {
      try {
        await service.stop()
      } finally {
        await remove()
      }
    }
    return { url: service.url, apiKey, stop }
  } catch (error) {
    await remove()
    throw error
  }
}

/** The demo tells by itself what happens; an error is nothing that it plans. */
function onlyErrors(say: (line: string) => void): Log {
  return {
    error: (message, { error } = {}) =>
      say(`error: ${message}${error instanceof Error ? ` (${error.message})` : ''}`),
    warn: () => undefined,
    info: () => undefined,
    debug: () => undefined,
  }
}
