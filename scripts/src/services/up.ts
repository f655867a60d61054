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
    const urls = { postgres: '', rabbitmq: '', redis: '' }
    const hasEngine = wantsContainers(options) && (await hasDocker())
    if (!hasEngine && wantsContainers(options)) await installMissing(options.say)
    await Promise.all(
      SERVICES.map(async (name) => {
        const record = await bringUpOne(name, options, hasEngine)
        await writeRecord(options.directory, name, record)
        urls[name] = record.url
      }),
    )
    return urls
  })
}

function wantsContainers({ given }: UpOptions): boolean {
  return given.rabbitmq === undefined || given.redis === undefined
}

async function bringUpOne(
  name: ServiceName,
  options: UpOptions,
  hasEngine: boolean,
): Promise<ServiceRecord> {
  const { directory, given, isDurable = true, say } = options
  const url = given[name]
  if (url !== undefined) return { kind: 'given', url }
  const recorded = await readRecord(directory, name)
  if (recorded?.kind === 'container' && (await isContainerRunning(recorded.id))) return recorded
  if (hasEngine && name !== 'postgres' && recorded?.kind !== 'private') {
    say(`starting ${name} in a container`)
    const start = name === 'redis' ? startRedisContainer : () => startRabbitMqContainer(TEST_VHOSTS)
    try {
      return { kind: 'container', ...(await start()) }
    } catch (error) {
      say(`no container for ${name} (${(error as Error).message.split('\n')[0]})`)
      await installMissing(say)
    }
  }
  const server = privateServer(name, { directory, isDurable })
  if (recorded === null) say(`starting a private ${name}`)
  await server.start()
  if (server.pid === null) throw new ServerError(`${name} ended right after its start.`)
  return { kind: 'private', url: server.url, pid: server.pid }
}
