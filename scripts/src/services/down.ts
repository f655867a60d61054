import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { removeContainer, stopServersUnder } from '@postrider/servers'
import { withLock } from './lock.ts'
import { privateServer } from './private-servers.ts'
import { readRecord, removeRecord, type ServiceName, SERVICES } from './records.ts'

/**
 * Ends what `bringUp` started in the directory and removes its data. A private server is ended only when
 * the process is known to be the one of its directory; a given one is left alone. Idempotent.
 */
export async function takeDown(directory: string): Promise<void> {
  await withLock(directory, async () => {
    await Promise.all(SERVICES.map(async (name) => takeDownOne(directory, name)))
  })
}

async function takeDownOne(directory: string, name: ServiceName): Promise<void> {
  const record = await readRecord(directory, name)
  if (record?.kind === 'container') await removeContainer(record.id)
  // Also without a record: a start may have been cut off before it wrote one.
  await privateServer(name, { directory, isDurable: true }).stop()
  await rm(join(directory, name), { recursive: true, force: true, maxRetries: 10 })
  await removeRecord(directory, name)
}

/**
 * Ends the servers that tests kept under this directory, and removes it. Returns where they were: tests
 * that end in order leave none.
 */
export async function endLeftovers(directory: string): Promise<readonly string[]> {
  const leftovers = await stopServersUnder(directory)
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  return leftovers
}
