import { createServer } from 'node:http'
import type { JobQueue } from '@postrider/broker'
import type { Log } from '@postrider/common'
import type { Config, Secrets } from '@postrider/config'
import type { Registry } from '@postrider/destinations'
import type { SharedState } from '@postrider/state'
import type { Store } from '@postrider/store'
import type { Express } from 'express'
import { healthz } from './health/health-routes.ts'
import { createApp } from './http/app.ts'
import { ApiKeyAuthenticator, firstOf } from './http/auth.ts'
import { listen } from './http/listener.ts'
import { Publisher } from './publish/publisher.ts'
import { apiRoutes } from './routes.ts'
import { TenantTokens } from './tenants/tenant-tokens.ts'

/** What the api is made of. All of it belongs to the caller, who stops it after the api. */
export interface ApiParts {
  readonly config: Config
  readonly secrets: Secrets
  readonly store: Store
  readonly jobs: JobQueue
  readonly state: SharedState
  readonly registry: Registry
  readonly log: Log
}

/** What routes are made of. */
export interface ApiContext extends Omit<ApiParts, 'secrets'> {
  readonly publisher: Publisher
  readonly tokens: TenantTokens
  /** The service is on its way out: tell load balancers to look elsewhere. */
  isStopping(): boolean
}

/** The HTTP service. */
export interface Api {
  readonly app: Express
  /** Listens; answers with the port, which is another than the configured one when that is 0. */
  start(): Promise<{ readonly port: number }>
  /**
   * Turns unready, refuses new connections, closes idle ones, and resolves when the requests in
   * flight are answered and the jobs of their events have left. Idempotent.
   */
  stop(): Promise<void>
}

/** Puts the api together. Nothing runs and nothing listens before `start`. */
export function createApi(parts: ApiParts): Api {
  const { config, secrets, log } = parts
  let stopping: Promise<void> | null = null
  const publisher = new Publisher({
    ...parts,
    windowMs: config.api.publishIdempotencyWindowMs,
    leaseMs: config.delivery.leaseMs,
  })
  const tokens = new TenantTokens(parts.store, secrets.jwtSecret)
  const context: ApiContext = { ...parts, publisher, tokens, isStopping: () => stopping !== null }
  const app = createApp(
    {
      authenticator: firstOf(new ApiKeyAuthenticator(secrets.apiKeys), tokens),
      maxRequestBodyBytes: config.api.maxRequestBodyBytes,
      log,
    },
    apiRoutes(context),
    [healthz],
  )
  const listener = listen(createServer(app))
  return {
    app,
    start: () => listener.start(config.api.host, config.api.port),
    stop: () => (stopping ??= listener.stop().finally(() => publisher.stop())),
  }
}
