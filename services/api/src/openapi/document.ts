import { type Route, TAGS, type Tag } from '../http/route.ts'
import { HEADERS } from './headers.ts'
import { INTRODUCTION } from './introduction.ts'
import type { OpenApiDocument, Operation } from './model.ts'
import { operationOf } from './operation.ts'
import { Components } from './components.ts'

export interface DocumentOptions {
  readonly basePath: string
  readonly version: string
}

/**
 * The OpenAPI 3.1 document of routes. It is made of the schemas that validate their requests, so the
 * two cannot disagree.
 *
 * @throws {Error} When two schemas that differ have the same title, or two routes the same operationId
 */
export function openApiDocument(
  routes: readonly Route[],
  { basePath, version }: DocumentOptions,
): OpenApiDocument {
  const components = new Components()
  const paths: Record<string, Record<string, Operation>> = {}
  const operationIds = new Set<string>()
  for (const route of routes) {
    if (operationIds.has(route.operationId)) {
      throw new Error(`two routes have the operationId ${route.operationId}`)
    }
    operationIds.add(route.operationId)
    const path = (paths[templateOf(route.path)] ??= {})
    path[route.method.toLowerCase()] = operationOf(route, components)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Postrider', version, description: INTRODUCTION },
    servers: [{ url: basePath }],
    tags: TAGS.map((name) => ({ name, description: TAG_TEXTS[name] })),
    paths,
    components: {
      schemas: components.schemas,
      responses: components.responses,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** `/tenants/:tenant_id` as `/tenants/{tenant_id}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

const TAG_TEXTS: Readonly<Record<Tag, string>> = {
  Publish: 'Hand over an event.',
  Events: 'What was published, and what became of it.',
  Attempts: 'Every try to deliver, with its result; and further tries by hand.',
  Destinations: 'Where the events of a tenant go.',
  'Destination types': 'What kinds of destinations there are, and what each needs.',
  Tenants: 'The customers of the platform, their tokens and their signing keys.',
  Service: 'The service itself.',
}

const SECURITY_SCHEMES = {
  adminKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'One of the keys in API_KEY: may do everything.',
  },
  tenantToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of one tenant, valid for a day: may do what concerns that tenant.',
  },
}
