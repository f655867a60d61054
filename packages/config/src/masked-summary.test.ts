import { maskedSummary } from './masked-summary.ts'
import { readSettings } from './read-settings.ts'

describe('the summary for the start-up log', () => {
  const env = {
    POSTGRES_URL: 'postgres://me:hunter2@db.test:5432/postrider?sslpassword=hunter2',
    RABBITMQ_URL: 'amqps://me:hunter2@mq.test/vhost',
    REDIS_URL: 'redis://:hunter2@redis.test/0',
    DESTINATIONS_WEBHOOK_PROXY_URL: 'http://me:hunter2@proxy.test:3128',
    API_KEY: 'hunter2-hunter2-hunter2',
    API_JWT_SECRET: 'hunter2-hunter2-hunter2-hunter2-',
    AES_ENCRYPTION_SECRET: 'hunter2-hunter2-hunter2-hunter2-',
  }

  it('says where the servers are without passwords', () => {
    expect(maskedSummary(readSettings(env, { mode: 'api' })).urls).toEqual({
      postgres: 'postgres://me@db.test:5432/postrider',
      rabbitmq: 'amqps://me@mq.test/vhost',
      redis: 'redis://redis.test/0',
      webhookProxy: 'http://me@proxy.test:3128/',
    })
  })

  it('says of secrets only whether they are there', () => {
    const { POSTGRES_URL } = env
    expect(maskedSummary(readSettings(env, { mode: 'api' })).secrets).toEqual({
      apiKeys: { configured: true },
      jwtSecret: { configured: true },
      encryptionSecrets: { configured: true },
    })
    expect(maskedSummary(readSettings({ POSTGRES_URL }, { mode: 'migrate' }))).toMatchObject({
      secrets: {
        apiKeys: { configured: false },
        jwtSecret: { configured: false },
        encryptionSecrets: { configured: false },
      },
      urls: { rabbitmq: null, redis: null },
    })
  })

  it('holds no secret anywhere, and the rest of the configuration as it is', () => {
    const settings = readSettings(env, { mode: 'api' })
    const summary = maskedSummary(settings)
    expect(JSON.stringify(summary)).not.toContain('hunter2')
    expect(summary).toMatchObject(settings.config)
  })
})
