import type { TSchema } from 'typebox'
import type { Access, Route } from '../http/route.ts'
import { errorResponses } from './error-responses.ts'
import { exampleOf } from './example.ts'
import { references } from './headers.ts'
import type {
  BodilessResponse,
  MediaType,
  Operation,
  Parameter,
  RequestBody,
  Response,
} from './model.ts'
import type { Components } from './components.ts'

/** The operation that a route is, in the document. */
export function operationOf(route: Route, components: Components): Operation {
  const parameters = [...pathParameters(route, components), ...queryParameters(route, components)]
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    ...(route.isDeprecated === true ? { deprecated: true } : {}),
    security: SECURITY[route.access],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(route, components),
    responses: { ...errorResponses(route, components), ...responses(route, components) },
  }
}

const SECURITY: Readonly<Record<Access, Operation['security']>> = {
  none: [],
  admin: [{ adminKey: [] }],
  tenant: [{ adminKey: [] }, { tenantToken: [] }],
}

function pathParameters({ path, params }: Route, components: Components): Parameter[] {
  const schemas = propertiesOf(params)
  return Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) =>
    parameter(
      { name, in: 'path', required: true },
      schemas[name] ?? { type: 'string' },
      components,
    ),
  )
}

function queryParameters({ query }: Route, components: Components): Parameter[] {
  const { required = [] } = (query ?? {}) as { required?: readonly string[] }
  return Object.entries(propertiesOf(query)).map(([name, schema]) =>
    parameter({ name, in: 'query', required: required.includes(name) }, schema, components),
  )
}

function parameter(
  place: Pick<Parameter, 'name' | 'in' | 'required'>,
  schema: TSchema,
  components: Components,
): Parameter {
  const { description, examples, ...rest } = components.schema(schema)
  const example = Array.isArray(examples) ? (examples[0] as unknown) : undefined
  return {
    ...place,
    ...(typeof description === 'string' ? { description } : {}),
    schema: rest,
    ...(example === undefined ? {} : { example }),
  }
}

function requestBody(
  { body, documentedBody = body, isBodyOptional }: Route,
  components: Components,
): { requestBody?: RequestBody } {
  if (documentedBody === undefined) return {}
  return {
    requestBody: {
      required: isBodyOptional !== true,
      content: { 'application/json': mediaType(documentedBody, components) },
    },
  }
}

function responses(
  route: Route,
  components: Components,
): Record<string, Response | BodilessResponse> {
  const headers = references(
    'x-request-id',
    ...(route.isDeprecated === true ? ['deprecation'] : []),
    ...(route.successor === undefined ? [] : ['link']),
    ...(route.cacheForSeconds === undefined ? [] : ['cache-control', 'etag']),
  )
  const answers = Object.entries(route.responses).map(([status, schema]) => [
    status,
    {
      description: DESCRIPTIONS[status] ?? 'Done.',
      headers,
      content: { 'application/json': mediaType(schema, components) },
    },
  ])
  const unchanged = { description: 'The caller has the newest already.', headers }
  return {
    ...Object.fromEntries(answers),
    ...(route.cacheForSeconds === undefined ? {} : { 304: unchanged }),
  }
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  201: 'It was created.',
  202: 'It was accepted, and is kept.',
  503: 'The service cannot do its work.',
}

function mediaType(schema: TSchema, components: Components): MediaType {
  const example = exampleOf(schema)
  return { schema: components.schema(schema), ...(example === undefined ? {} : { example }) }
}

function propertiesOf(schema: TSchema | undefined): Record<string, TSchema> {
  const { properties } = (schema ?? {}) as { properties?: Record<string, TSchema> }
  return properties ?? {}
}
