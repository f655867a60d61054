import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const SERVICES = ['postgres', 'rabbitmq', 'redis'] as const

export type ServiceName = (typeof SERVICES)[number]

/** Where a service comes from, and so how it ends: not at all, with its container, with its process. */
export type ServiceRecord =
  | { readonly kind: 'given'; readonly url: string }
  | { readonly kind: 'container'; readonly url: string; readonly id: string }
  | { readonly kind: 'private'; readonly url: string; readonly pid: number }

/** What was brought up in this directory under that name, or null. */
export async function readRecord(
  directory: string,
  name: ServiceName,
): Promise<ServiceRecord | null> {
  const text = await readFile(recordFile(directory, name), 'utf8').catch(() => 'null')
  return JSON.parse(text) as ServiceRecord | null
}

/** The urls hold passwords: the file is for its owner only. */
export async function writeRecord(
  directory: string,
  name: ServiceName,
  record: ServiceRecord,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeFile(recordFile(directory, name), `${JSON.stringify(record, null, 2)}\n`, {
    mode: 0o600,
  })
}

export async function removeRecord(directory: string, name: ServiceName): Promise<void> {
  await rm(recordFile(directory, name), { force: true })
}

function recordFile(directory: string, name: ServiceName): string {
  return join(directory, `${name}.json`)
}
