import { type TSchema, Type } from 'typebox'
import { ERROR_CODES, type ErrorCode, statusOf } from '../http/errors.ts'
import type { Route } from '../http/route.ts'
import { ERROR_TEXTS } from './error-texts.ts'
import { headersOf } from './headers.ts'
import type { Example, Reference, Response } from './model.ts'
import type { Components } from './components.ts'

/** The body of every error answer (docs/api.md). */
const ErrorView = Type.Object(
  {
    status: Type.Integer({ description: 'The HTTP status.' }),
    code: Type.Enum([...ERROR_CODES], { description: 'What went wrong, for programs.' }),
    message: Type.String({ description: 'What went wrong, for people.' }),
    data: Type.Optional(
      Type.Array(Type.String(), {
        description: 'One sentence for each fault, which starts with the path of the field.',
      }),
    ),
  },
  { title: 'Error', additionalProperties: false },
)

/** The codes that a route can answer with. */
function errorsOf(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(route.errors)
  codes.add('validation_error')
  if (route.path.includes(':')) codes.add('not_found')
  if (route.body !== undefined) {
    for (const code of OF_BODIES) codes.add(code)
  }
  if (route.access !== 'none') {
    codes.add('unauthorized')
    // Who may call is also read from Postgres, so what needs nothing else of it needs it for that.
    codes.add('internal_error')
    codes.add('unavailable')
  }
  if (route.access === 'admin' || (route.access === 'tenant' && namesTenant(route))) {
    codes.add('forbidden')
  }
  return ERROR_CODES.filter((code) => codes.has(code))
}

const OF_BODIES = ['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const

/** Whether a caller can ask for a tenant, and so for another one than its own. */
function namesTenant({ path, query, body }: Route): boolean {
  return path.includes(':tenant_id') || hasTenantId(query) || hasTenantId(body)
}

function hasTenantId(schema: TSchema | undefined): boolean {
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  return 'tenant_id' in properties
}

/** The error responses of a route, by status. */
export function errorResponses(route: Route, components: Components): Record<string, Reference> {
  const codes = errorsOf(route)
  const statuses = new Set(codes.map(statusOf))
  return Object.fromEntries(
    Array.from(statuses, (status) => {
      const ofStatus = codes.filter((code) => statusOf(code) === status)
      const name = ofStatus.map(pascal).join('Or')
      return [status, components.response(name, () => errorResponse(status, ofStatus, components))]
    }),
  )
}

function errorResponse(
  status: number,
  codes: readonly ErrorCode[],
  components: Components,
): Response {
  const schema = {
    ...components.schema(ErrorView),
    properties: { status: { const: status }, code: { enum: codes } },
  }
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_TEXTS[code].when}`).join('\n\n'),
    headers: headersOf(status),
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(codes.map((code) => [code, exampleOfError(code)])),
      },
    },
  }
}

/** `tenant_not_found` as `TenantNotFound`. */
function pascal(code: ErrorCode): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function exampleOfError(code: ErrorCode): Example {
  const { message, data } = ERROR_TEXTS[code]
  return {
    value: { status: statusOf(code), code, message, ...(data === undefined ? {} : { data }) },
  }
}
