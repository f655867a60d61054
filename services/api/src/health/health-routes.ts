import { type Static, Type } from 'typebox'
import type { ApiContext } from '../context.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { nullable } from '../http/schemas.ts'
import { readiness } from './readiness.ts'

const Alive = Type.Object(
  { status: Type.Literal('ok') },
  { title: 'Liveness', additionalProperties: false },
)
const ALIVE: Static<typeof Alive> = { status: 'ok' }

const Check = Type.Enum(['ok', 'away'])

const Readiness = Type.Object(
  {
    status: Type.Enum(['ready', 'unready']),
    checks: Type.Object(
      {
        postgres: Check,
        schema: Type.Enum(['ok', 'mismatch', 'unknown']),
        broker: Check,
        state: Check,
        oldest_due_age_seconds: nullable(
          Type.Number({
            minimum: 0,
            description: 'How long the delivery that waits longest could have been sent already.',
            examples: [0],
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { title: 'Readiness', additionalProperties: false },
)

/** Answers as long as the process can answer at all. */
export const healthz: Route = defineRoute({
  method: 'GET',
  path: '/healthz',
  access: 'none',
  operationId: 'getLiveness',
  summary: 'Whether the process is alive',
  description: 'Also answered without the base path.',
  tag: 'Service',
  responses: { 200: Alive },
  handle: async () => ({ status: 200, body: ALIVE }),
})

export function healthRoutes(context: ApiContext): readonly Route[] {
  const readyz = defineRoute({
    method: 'GET',
    path: '/readyz',
    access: 'none',
    operationId: 'getReadiness',
    summary: 'Whether the service can do its work, and what of it is away',
    description:
      'It cannot without Postgres, or while it stops; all else is told and costs speed alone.',
    tag: 'Service',
    responses: { 200: Readiness, 503: Readiness },
    handle: async () => {
      const body = await readiness(context)
      return body.status === 'ready' ? { status: 200, body } : { status: 503, body }
    },
  })
  return [healthz, readyz]
}
