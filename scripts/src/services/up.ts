import {
  hasDocker,
  installMissing,
  isContainerRunning,
  ServerError,
  startRabbitMqContainer,
  startRedisContainer,
} from '@postrider/servers'
import { withLock } from './lock.ts'
import { privateServer, TEST_VHOSTS } from './private-servers.ts'
import {
  readRecord,
  type ServiceName,
  type ServiceRecord,
  SERVICES,
  writeRecord,
} from './records.ts'

export interface UpOptions {
  /** Holds the records and the private servers. */
  readonly directory: string
  /** Urls of servers to use as they are. */
  readonly given: Partial<Record<ServiceName, string>>
  /** Whether the private Postgres survives a crash of the machine; tests do without. Default true. */
  readonly isDurable?: boolean
  /** Receives a line before anything that takes long. */
  readonly say: (line: string) => void
}

/**
 * Brings the three services up and resolves once each can be used. What is up already is kept, so that
 * calling it again is quick and changes nothing. Each service is, in this order: the one that is given; a
 * container, when a Docker engine answers (never for Postgres, which comes with the dependencies); a
 * private process of Debian's package.
 */
export async function bringUp(options: UpOptions): Promise<Record<ServiceName, string>> {
  return withLock(options.directory, async () => {
    const contained = await upInContainers(options)
    const left = SERVICES.filter((name) => options.given[name] === undefined && !contained[name])
    await installMissing(
      left.filter((name) => name !== 'postgres'),
      options.say,
    )
    const urls = { postgres: '', rabbitmq: '', redis: '' }
    await Promise.all(
      SERVICES.map(async (name) => {
        const url = options.given[name]
        const record =
          url === undefined
            ? (contained[name] ?? (await upAsProcess(name, options)))
            : ({ kind: 'given', url } as const)
        await writeRecord(options.directory, name, record)
        urls[name] = record.url
      }),
    )
    return urls
  })
}

/** The services that are, or now come, up in containers; what already is a process stays one. */
async function upInContainers({
  directory,
  given,
  say,
}: UpOptions): Promise<Partial<Record<ServiceName, ServiceRecord>>> {
  const records: Partial<Record<ServiceName, ServiceRecord>> = {}
  const candidates: ('rabbitmq' | 'redis')[] = []
  for (const name of ['rabbitmq', 'redis'] as const) {
    const recorded = await readRecord(directory, name)
    if (given[name] !== undefined || recorded?.kind === 'private') continue
    if (recorded?.kind === 'container' && (await isContainerRunning(recorded.id))) {
      records[name] = recorded
    } else candidates.push(name)
  }
  if (candidates.length === 0 || !(await hasDocker())) return records
  await Promise.all(
    candidates.map(async (name) => {
      say(`starting ${name} in a container`)
      try {
        const container =
          name === 'redis' ? await startRedisContainer() : await startRabbitMqContainer(TEST_VHOSTS)
        records[name] = { kind: 'container', ...container }
      } catch (error) {
        say(`no container for ${name} (${(error as Error).message.split('\n')[0]})`)
      }
    }),
  )
  return records
}

async function upAsProcess(
  name: ServiceName,
  { directory, isDurable = true, say }: UpOptions,
): Promise<ServiceRecord> {
  const server = privateServer(name, { directory, isDurable })
  if ((await readRecord(directory, name)) === null) say(`starting a private ${name}`)
  await server.start()
  if (server.pid === null) throw new ServerError(`${name} ended right after its start.`)
  return { kind: 'private', url: server.url, pid: server.pid }
}
