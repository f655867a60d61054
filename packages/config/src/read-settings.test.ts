import { ConfigError } from './config-error.ts'
import type { Settings } from './config.ts'
import { type Mode, type ReadOptions, readSettings } from './read-settings.ts'
import type { Environment } from './read-values.ts'

const SERVERS = {
  POSTGRES_URL: 'postgres://me:pw@db.test/postrider',
  RABBITMQ_URL: 'amqp://me:pw@mq.test',
  REDIS_URL: 'redis://:pw@redis.test',
}
const SECRETS = {
  API_KEY: 'key-of-16-letters',
  API_JWT_SECRET: 'j'.repeat(32),
  AES_ENCRYPTION_SECRET: 'e'.repeat(32),
}
const API = { ...SERVERS, ...SECRETS }

function read(env: Environment = {}, options: ReadOptions = { mode: 'api' }): Settings {
  return readSettings({ ...API, ...env }, options)
}

function problemsOf(env: Environment, options: ReadOptions): readonly string[] {
  try {
    readSettings(env, options)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

function problems(env: Environment): readonly string[] {
  return problemsOf({ ...API, ...env }, { mode: 'api' })
}

describe('defaults', () => {
  it('are those of the documentation', () => {
    expect(read().config).toEqual({
      api: {
        host: '0.0.0.0',
        port: 3333,
        maxRequestBodyBytes: 1_048_576,
        maxEventDataBytes: 262_144,
        publishIdempotencyWindowMs: 86_400_000,
        topics: [],
        topicsAllowWildcards: false,
        maxDestinationsPerTenant: 20,
      },
      delivery: {
        host: '0.0.0.0',
        port: 3334,
        timeoutMs: 5000,
        leaseMs: 120_000,
        outcomeGraceMs: 10_000,
        window: 1024,
        destinationMaxInFlight: 32,
        policy: {
          retry: { kind: 'exponential', intervalMs: 30_000, maxRetries: 10 },
          maxAgeMs: 604_800_000,
        },
      },
      runway: { perTenant: 2000, totalJobs: 50_000, totalBytes: 536_870_912 },
      destinations: {
        webhook: {
          mode: 'default',
          headerPrefix: 'x-service-',
          disableEventIdHeader: false,
          disableTimestampHeader: false,
          disableTopicHeader: false,
          disableSignatureHeader: false,
          signatureAlgorithm: 'hmac-sha256',
          signatureEncoding: 'hex',
          signatureContentTemplate: '{{.Body}}',
          signatureHeaderTemplate: 'v0={{.Signatures | join ","}}',
          timestampSource: 'event',
          maxResponseBodyBytes: 131_072,
          userAgent: null,
          signing: 'hmac',
          httpsOnly: false,
          minTlsVersion: 'TLSv1.2',
          extraCaFile: null,
        },
        allowedNetworks: [],
        relayUrl: 'https://hkdk.events/{id}',
        relayVerifyUrl: null,
        kinesisMetadataInPayload: true,
        metadataPath: null,
      },
      portal: { enableWebhookCustomHeaders: false },
      retentionDays: 30,
      stopTimeoutMs: 25_000,
      dataDir: './.data',
      logLevel: 'info',
    })
  })

  it('stand in for a variable that is set but empty, as compose files leave it', () => {
    expect(read({ API_PORT: '', TOPICS: ' ', LOG_LEVEL: '' }).config).toEqual(read().config)
  })

  it('keep a standalone with embedded Postgres on loopback, where its receivers are too', () => {
    const { config } = readSettings(SECRETS, { mode: 'standalone' })
    expect([config.api.host, config.delivery.host]).toEqual(['127.0.0.1', '127.0.0.1'])
    expect(config.destinations.allowedNetworks).toEqual(['127.0.0.0/8', '::1/128'])
  })

  it('open a standalone with a Postgres of its own to the network, and no network to it', () => {
    const { config } = read({}, { mode: 'standalone' })
    expect([config.api.host, config.delivery.host]).toEqual(['0.0.0.0', '0.0.0.0'])
    expect(config.destinations.allowedNetworks).toEqual([])
  })
})

describe('values', () => {
  it('are read from the environment, white space around them aside', () => {
    const { config } = read({
      API_HOST: '::1',
      API_PORT: ' 8080 ',
      TOPICS: 'user.created, user.deleted',
      TOPICS_ALLOW_WILDCARDS: 'true',
      DESTINATIONS_WEBHOOK_SIGNATURE_ALGORITHM: 'hmac-sha512',
      DESTINATIONS_WEBHOOK_TIMESTAMP_SOURCE: 'attempt',
      HTTP_USER_AGENT: 'acme hooks/2',
      DATA_DIR: '/var/lib/postrider',
    })
    expect(config.api).toMatchObject({
      host: '::1',
      port: 8080,
      topics: ['user.created', 'user.deleted'],
      topicsAllowWildcards: true,
    })
    expect(config.destinations.webhook).toMatchObject({
      signatureAlgorithm: 'hmac-sha512',
      timestampSource: 'attempt',
      userAgent: 'acme hooks/2',
    })
    expect(config.dataDir).toBe('/var/lib/postrider')
  })

  it('in seconds may have decimals where a test or a fast receiver needs them', () => {
    const { delivery } = read({
      DELIVERY_TIMEOUT_SECONDS: '0.5',
      OUTCOME_GRACE_SECONDS: '1',
      LEASE_SECONDS: '6',
      RETRY_INTERVAL_SECONDS: '0.25',
    }).config
    expect(delivery).toMatchObject({
      timeoutMs: 500,
      outcomeGraceMs: 1000,
      leaseMs: 6000,
      policy: { retry: { kind: 'exponential', intervalMs: 250 } },
    })
  })

  it('of a retry schedule replace interval and limit', () => {
    const { retry } = read({ RETRY_SCHEDULE: '0.5, 5,5,60', MAX_RETRY_LIMIT: '1' }).config.delivery
      .policy
    expect(retry).toEqual({ kind: 'schedule', delaysMs: [500, 5000, 5000, 60_000] })
  })

  it('of the webhook prefix are lower case, because header names have none', () => {
    expect(
      read({ DESTINATIONS_WEBHOOK_HEADER_PREFIX: 'X-Acme-' }).config.destinations.webhook
        .headerPrefix,
    ).toBe('x-acme-')
  })

  it('of the allowed networks open those networks only', () => {
    const networks = { DESTINATIONS_ALLOWED_NETWORKS: '10.0.0.0/8, fd00::/8' }
    const { config } = readSettings({ ...SECRETS, ...networks }, { mode: 'standalone' })
    expect(config.destinations.allowedNetworks).toEqual(['10.0.0.0/8', 'fd00::/8'])
  })

  it('that leave the allowed networks set but empty open none, not even loopback', () => {
    const env = { ...SECRETS, DESTINATIONS_ALLOWED_NETWORKS: '' }
    expect(readSettings(env, { mode: 'standalone' }).config.destinations.allowedNetworks).toEqual(
      [],
    )
  })

  it('of the texts of destination types are a path', () => {
    expect(read({ DESTINATIONS_METADATA_PATH: './texts' }).config.destinations.metadataPath).toBe(
      './texts',
    )
    expect(problems({ DESTINATIONS_METADATA_PATH: 'a\0b' })).toEqual([
      'DESTINATIONS_METADATA_PATH must be a path, without NUL',
    ])
  })

  it('of the event gateway name it and the place of the source', () => {
    const url = 'http://gateway.test/in?source={id}'
    expect(read({ DESTINATIONS_RELAY_URL: url }).config.destinations.relayUrl).toBe(url)
    const place = 'DESTINATIONS_RELAY_URL must have {id} in its path or query, not '
    expect(problems({ DESTINATIONS_RELAY_URL: 'https://gateway.test/' })).toEqual([
      `${place}"https://gateway.test/"`,
    ])
    expect(problems({ DESTINATIONS_RELAY_URL: 'https://{id}.test/' })).toEqual([
      `${place}"https://{id}.test/"`,
    ])
    expect(problems({ DESTINATIONS_RELAY_URL: 'gateway.test/{id}' })).toEqual([
      'DESTINATIONS_RELAY_URL must be an http or https URL, not "gateway.test/{id}"',
    ])
    expect(problems({ DESTINATIONS_RELAY_URL: 'https://me:pw@gateway.test/{id}' })).toEqual([
      'DESTINATIONS_RELAY_URL must not contain a user name or password',
    ])
  })

  it('are frozen all the way down', () => {
    const settings = read({ RETRY_SCHEDULE: '1' })
    const parts = [
      settings,
      settings.config,
      settings.config.delivery.policy.retry,
      settings.secrets,
    ]
    expect(parts.map((part) => Object.isFrozen(part))).toEqual([true, true, true, true])
  })
})

describe('garbage is a problem, named by its variable', () => {
  it.each([
    ['API_PORT', 'http', 'API_PORT must be an integer from 0 to 65535, not "http"'],
    ['API_PORT', '65536', 'API_PORT must be an integer from 0 to 65535, not "65536"'],
    ['API_PORT', '-1', 'API_PORT must be an integer from 0 to 65535, not "-1"'],
    ['API_PORT', '1e3', 'API_PORT must be an integer from 0 to 65535, not "1e3"'],
    ['API_HOST', 'http://x', 'API_HOST must be a host name or an address, not "http://x"'],
    ['DATA_DIR', 'a\0b', 'DATA_DIR must be a path, without NUL'],
    [
      'STOP_TIMEOUT_SECONDS',
      '1.5',
      'STOP_TIMEOUT_SECONDS must be an integer from 1 to 3600, not "1.5"',
    ],
    [
      'DELIVERY_TIMEOUT_SECONDS',
      '5s',
      'DELIVERY_TIMEOUT_SECONDS must be a number of seconds from 0.05 to 300, not "5s"',
    ],
    [
      'RETRY_SCHEDULE',
      '5,soon',
      'RETRY_SCHEDULE must be a number of seconds from 0 to 2592000, not "soon"',
    ],
    ['RETRY_SCHEDULE', '5,,6', 'RETRY_SCHEDULE must not have an empty entry'],
    ['TOPICS_ALLOW_WILDCARDS', 'yes', 'TOPICS_ALLOW_WILDCARDS must be true or false, not "yes"'],
    ['TOPICS', 'a,b,a', 'TOPICS must not have the same entry twice'],
    [
      'TOPICS',
      'user.*',
      'TOPICS must hold topics of 1 to 255 visible ASCII characters without *, not "user.*"',
    ],
    [
      'TOPICS',
      'x'.repeat(256),
      `TOPICS must hold topics of 1 to 255 visible ASCII characters without *, not "${'x'.repeat(60)}…"`,
    ],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of error, warn, info, debug, not "loud"'],
    [
      'HTTP_USER_AGENT',
      'a\nb',
      'HTTP_USER_AGENT must have up to 256 characters, all of them visible ASCII or spaces',
    ],
    [
      'DESTINATIONS_WEBHOOK_HEADER_PREFIX',
      '-x',
      'DESTINATIONS_WEBHOOK_HEADER_PREFIX must be a letter or digit, then up to 63 letters, digits, "_" and "-", not "-x"',
    ],
    [
      'DESTINATIONS_WEBHOOK_HEADER_PREFIX',
      'Content-',
      'DESTINATIONS_WEBHOOK_HEADER_PREFIX must not be the beginning of a header such as content-length, not "Content-"',
    ],
    [
      'DESTINATIONS_WEBHOOK_HEADER_PREFIX',
      'proxy-x-',
      'DESTINATIONS_WEBHOOK_HEADER_PREFIX must not be the beginning of a header such as proxy-, not "proxy-x-"',
    ],
  ])('%s=%j', (name, value, problem) => {
    expect(problems({ [name]: value })).toEqual([problem])
  })

  it.each([
    '10.0.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    '10.0.0.0/8/8',
    'fe80::1%lo/64',
    '*',
  ])('DESTINATIONS_ALLOWED_NETWORKS=%s', (network) => {
    expect(problems({ DESTINATIONS_ALLOWED_NETWORKS: network })).toEqual([
      `DESTINATIONS_ALLOWED_NETWORKS must hold CIDRs such as 10.0.0.0/8 or fd00::/8, not "${network}"`,
    ])
  })

  it('and all of it is listed at once', () => {
    expect(() => read({ API_PORT: 'x', LOG_LEVEL: 'y', LEASE_SECONDS: '1' })).toThrow(
      new ConfigError([
        'LOG_LEVEL must be one of error, warn, info, debug, not "y"',
        'API_PORT must be an integer from 0 to 65535, not "x"',
        'LEASE_SECONDS must be at least 4 × (DELIVERY_TIMEOUT_SECONDS + OUTCOME_GRACE_SECONDS) = 60, not 1',
      ]),
    )
  })
})

describe('values that do not go together', () => {
  it('are a lease shorter than four times what an attempt and its outcome may take', () => {
    const env = { DELIVERY_TIMEOUT_SECONDS: '1', OUTCOME_GRACE_SECONDS: '0.5' }
    expect(problems({ ...env, LEASE_SECONDS: '6' })).toEqual([])
    expect(problems({ ...env, LEASE_SECONDS: '5.9' })).toEqual([
      'LEASE_SECONDS must be at least 4 × (DELIVERY_TIMEOUT_SECONDS + OUTCOME_GRACE_SECONDS) = 6, not 5.9',
    ])
  })

  it('are an idempotency window longer than events are kept', () => {
    const window = { PUBLISH_IDEMPOTENCY_WINDOW_SECONDS: '86401' }
    expect(problems(window)).toEqual([])
    expect(problems({ ...window, RETENTION_DAYS: '1' })).toEqual([
      'PUBLISH_IDEMPOTENCY_WINDOW_SECONDS must not be longer than RETENTION_DAYS',
    ])
  })

  it('are standard mode and a signature of one’s own', () => {
    const env = {
      DESTINATIONS_WEBHOOK_MODE: 'standard',
      DESTINATIONS_WEBHOOK_SIGNATURE_ENCODING: 'base64',
    }
    expect(problems(env)).toEqual([
      'DESTINATIONS_WEBHOOK_SIGNATURE_ENCODING must be left at its default in standard mode',
    ])
    expect(problems({ DESTINATIONS_WEBHOOK_MODE: 'standard' })).toEqual([])
  })

  it('are default mode and a signature with keys of tenants, which has no place in its header', () => {
    const signing = { DESTINATIONS_WEBHOOK_SIGNING: 'ed25519' }
    expect(problems(signing)).toEqual([
      'DESTINATIONS_WEBHOOK_SIGNING must be hmac in default mode; ed25519 needs DESTINATIONS_WEBHOOK_MODE=standard',
    ])
    expect(problems({ ...signing, DESTINATIONS_WEBHOOK_MODE: 'standard' })).toEqual([])
  })
})

describe('what must be given', () => {
  it.each<[Mode, string[]]>([
    ['api', [...Object.keys(SERVERS), ...Object.keys(SECRETS)]],
    ['delivery', [...Object.keys(SERVERS), 'AES_ENCRYPTION_SECRET']],
    ['standalone', Object.keys(SECRETS)],
    ['migrate', ['POSTGRES_URL']],
  ])('to %s', (mode, names) => {
    expect(problemsOf({}, { mode })).toEqual(names.map((name) => `${name} is missing`))
    expect(problemsOf(API, { mode })).toEqual([])
  })

  it('is not also called missing when it is only wrong', () => {
    expect(problems({ API_KEY: 'short' })).toEqual([
      'API_KEY must have at least 16 characters, all of them visible ASCII',
    ])
  })
})

describe('server URLs', () => {
  it('are kept as given', () => {
    expect(read().urls).toEqual({
      postgres: SERVERS.POSTGRES_URL,
      rabbitmq: SERVERS.RABBITMQ_URL,
      redis: SERVERS.REDIS_URL,
      webhookProxy: null,
    })
  })

  it.each([
    ['http://me:hunter2@proxy.test/path', 'must have nothing after the host and port'],
    ['socks5://me:hunter2@proxy.test', 'must be a URL that begins with http:// or https://'],
    ['proxy.test:3128', 'must be a URL that begins with http:// or https://'],
    [
      'http://me:hunt#er2@proxy.test',
      'must be a URL; in a password, / ? # @ : and % must be percent-encoded',
    ],
    [
      'http://me:100%hunter2@proxy.test',
      'must be a URL; in a password, / ? # @ : and % must be percent-encoded',
    ],
  ])('of a forward proxy are refused without being repeated: %s', (url, problem) => {
    expect(problems({ DESTINATIONS_WEBHOOK_PROXY_URL: url })).toEqual([
      `DESTINATIONS_WEBHOOK_PROXY_URL ${problem}`,
    ])
  })

  it('of RabbitMQ and Redis are left aside by standalone, which has its own', () => {
    expect(read({}, { mode: 'standalone' }).urls).toEqual({
      postgres: SERVERS.POSTGRES_URL,
      rabbitmq: null,
      redis: null,
      webhookProxy: null,
    })
  })

  it.each([
    ['mysql://hunter2@db.test', 'must be a URL that begins with postgres:// or postgresql://'],
    ['db.test', 'must be a URL that begins with postgres:// or postgresql://'],
    [
      'postgres://me:hunt#er2@db.test/x',
      'must be a URL; in a password, / ? # @ : and % must be percent-encoded',
    ],
  ])('that are none are refused without being repeated: %s', (url, problem) => {
    expect(problems({ POSTGRES_URL: url })).toEqual([`POSTGRES_URL ${problem}`])
  })
})

describe('secrets', () => {
  it('may be several, so that one can be rotated out', () => {
    const { secrets } = read({
      API_KEY: `${'a'.repeat(16)}, ${'b'.repeat(16)}`,
      AES_ENCRYPTION_SECRET: `${'c'.repeat(32)},${'d'.repeat(32)}`,
    })
    expect(secrets.apiKeys).toEqual(['a'.repeat(16), 'b'.repeat(16)])
    expect(secrets.encryptionSecrets).toEqual(['c'.repeat(32), 'd'.repeat(32)])
  })

  it.each([
    ['API_KEY', 'a'.repeat(15)],
    ['API_KEY', `${'a'.repeat(16)},${'b'.repeat(15)}`],
    ['API_KEY', 'sixteen letters and spaces'],
    ['API_JWT_SECRET', 'a'.repeat(31)],
    ['AES_ENCRYPTION_SECRET', 'a'.repeat(31)],
  ])('that are too weak are refused without being repeated: %s=%s', (name, value) => {
    const found = problems({ [name]: value })
    expect(found).toEqual([
      expect.stringMatching(new RegExp(`^${name} must have at least (16|32) `)),
    ])
    expect(found.join()).not.toContain(value)
  })

  describe('that standalone keeps', () => {
    const kept = {
      apiKeys: ['kept-key-of-16-letters'],
      jwtSecret: 'kept-j',
      encryptionSecrets: ['kept-e'],
    }

    it('stand in for those that the environment does not give', () => {
      const env = { API_KEY: 'given-key-of-16-letters', DATA_DIR: '/data' }
      const asked: string[] = []
      const keptSecrets: ReadOptions['keptSecrets'] = (dataDir) => {
        asked.push(dataDir)
        return kept
      }
      expect(readSettings(env, { mode: 'standalone', keptSecrets }).secrets).toEqual({
        ...kept,
        apiKeys: ['given-key-of-16-letters'],
      })
      expect(asked).toEqual(['/data'])
    })

    it('are not asked for when none is missing, nor when the start is refused anyway', () => {
      let asked = 0
      const keptSecrets: ReadOptions['keptSecrets'] = () => {
        asked += 1
        return kept
      }
      expect(readSettings(SECRETS, { mode: 'standalone', keptSecrets }).secrets.jwtSecret).toBe(
        SECRETS.API_JWT_SECRET,
      )
      expect(problemsOf({ API_PORT: 'x' }, { mode: 'standalone', keptSecrets })).toHaveLength(1)
      expect(asked).toBe(0)
    })
  })
})
