// Test and development servers: scripts/services up | down | status | env
import { fileURLToPath } from 'node:url'
import { isContainerRunning, ServerError } from '@postrider/servers'
import { takeDown } from './services/down.ts'
import { readRecord, type ServiceName, type ServiceRecord, SERVICES } from './services/records.ts'
import { bringUp } from './services/up.ts'

const USAGE = 'usage: scripts/services up | down | status | env'
const DIRECTORY = fileURLToPath(new URL('../../.services', import.meta.url))
const VARIABLES = {
  postgres: 'POSTGRES_URL',
  rabbitmq: 'RABBITMQ_URL',
  redis: 'REDIS_URL',
} as const

const say = (line: string): void => {
  process.stderr.write(`services: ${line}\n`)
}

async function up(): Promise<void> {
  const given: Partial<Record<ServiceName, string>> = {}
  for (const name of SERVICES) {
    const url = process.env[VARIABLES[name]]
    // What `env` printed into this shell is our own server, which may have to be started again.
    const recorded = await readRecord(DIRECTORY, name)
    const isOurs = recorded !== null && recorded.kind !== 'given' && recorded.url === url
    if (url !== undefined && url !== '' && !isOurs) given[name] = url
  }
  await bringUp({ directory: DIRECTORY, given, say })
  say('up; eval "$(scripts/services env)" sets their urls')
}

async function down(): Promise<void> {
  await takeDown(DIRECTORY)
  say('down')
}

async function status(): Promise<void> {
  for (const name of SERVICES) {
    const record = await readRecord(DIRECTORY, name)
    console.log(`${name.padEnd(9)} ${record === null ? 'down' : await describe(record)}`)
  }
}

/** Only export lines reach stdout: it is meant for `eval`. */
async function env(): Promise<void> {
  for (const name of SERVICES) {
    const record = await readRecord(DIRECTORY, name)
    if (record === null) throw new ServerError(`${name} is down: run scripts/services up first.`)
    console.log(`export ${VARIABLES[name]}='${record.url.replaceAll("'", '%27')}'`)
  }
}

async function describe(record: ServiceRecord): Promise<string> {
  const address = new URL(record.url).host
  switch (record.kind) {
    case 'given':
      return `given at ${address}`
    case 'container': {
      const state = (await isContainerRunning(record.id)) ? 'up' : 'ended'
      return `${state} at ${address}, container ${record.id.slice(0, 12)}`
    }
    case 'private': {
      const state = isAlive(record.pid) ? 'up' : 'ended'
      return `${state} at ${address}, process ${record.pid}`
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const COMMANDS = new Map(Object.entries({ up, down, status, env }))
const command = COMMANDS.get(process.argv[2] ?? '')
if (command === undefined || process.argv.length > 3) {
  say(USAGE)
  process.exitCode = 1
} else {
  try {
    await command()
  } catch (error) {
    if (!(error instanceof ServerError)) throw error
    say(error.message)
    process.exitCode = 1
  }
}
