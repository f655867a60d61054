import { createHash } from 'node:crypto'
import { join } from 'node:path'

// Debian's /usr/sbin/rabbitmq-server is a wrapper that changes to the user `rabbitmq`, who may not enter
// our directories; these are the programs behind it.
const PROGRAMS = '/usr/lib/rabbitmq/bin'
export const RABBITMQ_SERVER = `${PROGRAMS}/rabbitmq-server`
export const RABBITMQCTL = `${PROGRAMS}/rabbitmqctl`

/** The files of one node, all inside its directory. */
export interface NodeFiles {
  /** Stands in the arguments of the node's process, by which we know it again. */
  readonly home: string
  readonly data: string
  readonly logs: string
  readonly config: string
  readonly definitions: string
  readonly plugins: string
  readonly password: string
  readonly port: string
  readonly pid: string
  readonly epmd: string
}

export function nodeFiles(directory: string): NodeFiles {
  return {
    home: join(directory, 'home'),
    data: join(directory, 'data'),
    logs: join(directory, 'logs'),
    config: join(directory, 'rabbitmq.conf'),
    definitions: join(directory, 'definitions.json'),
    plugins: join(directory, 'enabled_plugins'),
    password: join(directory, 'password'),
    port: join(directory, 'port'),
    pid: join(directory, 'rabbitmq.pid'),
    epmd: join(directory, 'epmd.json'),
  }
}

/** One name per directory, since the name service of the machine's user may know others. */
function nodeName(directory: string): string {
  return `postrider-${createHash('sha256').update(directory).digest('hex').slice(0, 12)}@localhost`
}

export interface NodePorts {
  /** Of Erlang's name service. */
  readonly epmdPort: number
  /** Between nodes and for rabbitmqctl; needed for a start only. */
  readonly distributionPort?: number
}

/**
 * The whole environment of the node's programs: nothing of the machine's own RabbitMQ is read, nothing
 * outside the directory is written.
 */
export function nodeEnvironment(directory: string, ports: NodePorts): Record<string, string> {
  const files = nodeFiles(directory)
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: files.home, // holds the cookie
    ERL_EPMD_PORT: String(ports.epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: nodeName(directory),
    RABBITMQ_MNESIA_BASE: files.data,
    RABBITMQ_LOG_BASE: files.logs,
    RABBITMQ_CONFIG_FILE: files.config,
    RABBITMQ_ENABLED_PLUGINS_FILE: files.plugins,
    RABBITMQ_PID_FILE: files.pid,
    RABBITMQ_CONF_ENV_FILE: '/none',
    // Loopback also for the distribution port; and no spinning schedulers, which on a machine of few
    // cores would take them from everybody else.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none',
    ...(ports.distributionPort === undefined
      ? {}
      : { RABBITMQ_DIST_PORT: String(ports.distributionPort) }),
  }
}
