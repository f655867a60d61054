import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { definitionsFor, USER } from './rabbitmq/definitions.ts'
import { isRabbitMqServing } from './rabbitmq/probe.ts'
import { isRedisServing } from './redis/probe.ts'
import { ServerError } from './server-error.ts'
import { waitUntil } from './wait.ts'

/** A server in a container on loopback; the engine, not this process, keeps it. */
export interface Container {
  readonly id: string
  readonly url: string
}

const docker = async (...args: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)('docker', args)
  return stdout.trim()
}

const READY_DEADLINE_MS = 90_000

/** Whether a Docker engine answers here (the client alone is not enough). */
export async function hasDocker(): Promise<boolean> {
  return docker('info').then(
    () => true,
    () => false,
  )
}

/** Redis in memory only, as RedisServer starts it. */
export async function startRedisContainer(): Promise<Container> {
  const publish = ['--publish', '127.0.0.1::6379']
  const settings = ['--save', '', '--appendonly', 'no']
  const id = await docker(
    'create',
    '--rm',
    ...publish,
    'redis:7-alpine',
    'redis-server',
    ...settings,
  )
  const port = await startContainer(id, 6379, isRedisServing)
  return { id, url: `redis://127.0.0.1:${port}` }
}

/** RabbitMQ with these vhosts besides `/`, as RabbitMqServer starts it. */
export async function startRabbitMqContainer(vhosts: readonly string[]): Promise<Container> {
  const password = randomBytes(18).toString('base64url')
  const id = await docker('create', '--rm', '--publish', '127.0.0.1::5672', 'rabbitmq:4-alpine')
  // Copied rather than mounted: the engine may be another machine's, and its user another user.
  const files = await mkdtemp(join(tmpdir(), 'postrider-docker-'))
  try {
    const definitions = join(files, 'definitions.json')
    const settings = join(files, '20-postrider.conf')
    await writeFile(definitions, definitionsFor(password, ['/', ...vhosts]), { mode: 0o644 })
    await writeFile(settings, 'load_definitions = /etc/rabbitmq/definitions.json\n')
    await docker('cp', definitions, `${id}:/etc/rabbitmq/definitions.json`)
    await docker('cp', settings, `${id}:/etc/rabbitmq/conf.d/20-postrider.conf`)
  } finally {
    await rm(files, { recursive: true })
  }
  const port = await startContainer(id, 5672, isRabbitMqServing)
  return { id, url: `amqp://${USER}:${password}@127.0.0.1:${port}` }
}

/** Whether the container still runs. */
export async function isContainerRunning(id: string): Promise<boolean> {
  return docker('inspect', '--format', '{{.State.Running}}', id).then(
    (answer) => answer === 'true',
    () => false,
  )
}

/** Ends and removes the container. Idempotent. */
export async function removeContainer(id: string): Promise<void> {
  if (await isContainerRunning(id)) await docker('rm', '--force', id)
}

/** Starts it and waits until it serves; removes it when it does not. Returns its port on loopback. */
async function startContainer(
  id: string,
  containerPort: number,
  isServing: (port: number) => Promise<boolean>,
): Promise<number> {
  await docker('start', id)
  const published = await docker('port', id, `${containerPort}/tcp`)
  const port = Number(published.split('\n')[0]?.split(':').at(-1))
  const isUp = await waitUntil(
    async () => ((await isServing(port)) ? true : null),
    READY_DEADLINE_MS,
  )
  if (isUp !== null) return port
  await removeContainer(id)
  throw new ServerError(`The container ${id.slice(0, 12)} does not serve on port ${containerPort}.`)
}
