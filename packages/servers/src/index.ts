export { installMissing } from './debian.ts'
export {
  type Container,
  hasDocker,
  isContainerRunning,
  removeContainer,
  startRabbitMqContainer,
  startRedisContainer,
} from './docker.ts'
export { freePort } from './free-port.ts'
export { PostgresServer, type PostgresOptions } from './postgres/postgres-server.ts'
export { RabbitMqServer, type RabbitMqOptions } from './rabbitmq/rabbitmq-server.ts'
export { RedisServer, type RedisOptions } from './redis/redis-server.ts'
export { ServerError } from './server-error.ts'
export type { Server } from './server.ts'
export { stopServersUnder } from './stop-servers-under.ts'
