import type { PostgresServer, RabbitMqServer, RedisServer } from '@postrider/servers'
import {
  createTestDatabase,
  privatePostgres,
  privateRabbitMq,
  privateRedis,
} from '@postrider/testkit'
import { Client } from './client.ts'
import { type ServiceProcess, startProcess } from './processes.ts'
import { API_KEY, SHORT_LEASES, testEnvironment } from './settings.ts'

/** Servers that nobody else uses, and the services that a test runs on them. */
export class DistributedSet implements AsyncDisposable {
  readonly postgres: PostgresServer
  readonly rabbitMq: RabbitMqServer
  readonly redis: RedisServer
  readonly #env: Readonly<Record<string, string>>
  #processes: ServiceProcess[] = []

  private constructor(
    postgres: PostgresServer,
    rabbitMq: RabbitMqServer,
    redis: RedisServer,
    databaseUrl: string,
  ) {
    this.postgres = postgres
    this.rabbitMq = rabbitMq
    this.redis = redis
    this.#env = testEnvironment({
      ...SHORT_LEASES,
      POSTGRES_URL: databaseUrl,
      RABBITMQ_URL: rabbitMq.url,
      REDIS_URL: redis.url,
    })
  }

  static async start(): Promise<DistributedSet> {
    const [postgres, rabbitMq, redis] = await Promise.all([
      privatePostgres(),
      privateRabbitMq(),
      privateRedis(),
    ])
    const database = await createTestDatabase({ serverUrl: postgres.url })
    return new DistributedSet(postgres, rabbitMq, redis, database.url)
  }

  async startApi(): Promise<{ readonly api: ServiceProcess; readonly client: Client }> {
    const api = await startProcess('api', this.#env)
    this.#processes.push(api)
    return { api, client: new Client(api.url, API_KEY) }
  }

  /** @param env - settings that differ from those of the set */
  async startDeliverer(env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    const deliverer = await startProcess('delivery', { ...this.#env, ...env })
    this.#processes.push(deliverer)
    return deliverer
  }

  /** Ends the services; the servers stay, for the next test. */
  async stopServices(): Promise<void> {
    await Promise.all(this.#processes.splice(0).map((service) => service.stop()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopServices()
    await Promise.all([
      this.postgres[Symbol.asyncDispose](),
      this.rabbitMq[Symbol.asyncDispose](),
      this.redis[Symbol.asyncDispose](),
    ])
  }
}
