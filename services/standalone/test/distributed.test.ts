import { createTestDatabase, testRedis, testVhost } from '@postrider/testkit'
import { startProcess } from './processes.ts'
import { API_KEY, testEnvironment } from './settings.ts'
import { describeWholeFlow } from './whole-flow.ts'

describeWholeFlow('on Postgres, RabbitMQ and Redis, an api and two deliverers', async () => {
  const [database, vhost] = await Promise.all([createTestDatabase(), testVhost()])
  const env = testEnvironment({
    POSTGRES_URL: database.url,
    RABBITMQ_URL: vhost.url,
    REDIS_URL: testRedis().url,
  })
  const services = await Promise.all([
    startProcess('api', env),
    startProcess('delivery', env),
    startProcess('delivery', env),
  ])
  return {
    url: services[0].url,
    apiKey: API_KEY,
    stop: async () => {
      await Promise.all(services.map((service) => service.stop()))
      await vhost[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
})
