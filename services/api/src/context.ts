import { createServer } from 'node:http'
import type { JobQueue } from '@postrider/broker'
import { type Log, VERSION } from '@postrider/common'
import type { Config, Secrets } from '@postrider/config'
import type { Registry } from '@postrider/destinations'
import type { SharedState } from '@postrider/state'
import type { Store } from '@postrider/store'
import type { Express } from 'express'
import { healthz } from './health/health-routes.ts'
import { BASE_PATH, createApp } from './http/app.ts'
import { ApiKeyAuthenticator, firstOf } from './http/auth.ts'
import { docsPage } from './http/docs-page.ts'
import { listen } from './http/listener.ts'
import type { Route } from './http/route.ts'
import { openApiDocument } from './openapi/document.ts'
import type { OpenApiDocument } from './openapi/model.ts'
import { openApiRoute } from './openapi/openapi-route.ts'
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
  /** What it serves under the base path: the table that the app and the document are made of. */
  readonly routes: readonly Route[]
  /** What it serves, as OpenAPI 3.1; the document at `/openapi.json`. */
  readonly document: OpenApiDocument
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
  const routes = [...apiRoutes(context), openApiRoute(() => JSON.stringify(document))]
  const document = openApiDocument(routes, { basePath: BASE_PATH, version: VERSION })
  const app = createApp(
    {
      authenticator: firstOf(new ApiKeyAuthenticator(secrets.apiKeys), tokens),
      maxRequestBodyBytes: config.api.maxRequestBodyBytes,
      log,
      pages: docsPage(`${BASE_PATH}/openapi.json`),
    },
    routes,
    [healthz],
  )
  const listener = listen(createServer(app))
  return {
    app,
    routes,
    document,
    start: () => listener.start(config.api.host, config.api.port),
    stop: () => (stopping ??= listener.stop().finally(() => publisher.stop())),
  }
}
