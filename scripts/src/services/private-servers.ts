import { join } from 'node:path'
import { PostgresServer, RabbitMqServer, RedisServer, type Server } from '@postrider/servers'
import type { ServiceName } from './records.ts'

/** Vhosts of the private RabbitMQ beside `/`: tests take one each, and more of them cost nothing. */
export const TEST_VHOSTS = Array.from({ length: 16 }, (_, index) => `test-${index + 1}`)

export interface PrivateServerOptions {
  readonly directory: string
  /** See PostgresOptions. */
  readonly isDurable: boolean
}

/** The supervisor of a private server; making it starts nothing. */
export function privateServer(name: ServiceName, options: PrivateServerOptions): Server {
  const directory = join(options.directory, name)
  switch (name) {
    case 'postgres':
      return new PostgresServer({ directory, isDurable: options.isDurable })
    case 'rabbitmq':
      return new RabbitMqServer({ directory, vhosts: TEST_VHOSTS })
    case 'redis':
      return new RedisServer({ directory })
  }
}
