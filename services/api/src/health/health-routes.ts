import { type Static, Type } from 'typebox'
import type { ApiContext } from '../context.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { readiness } from './readiness.ts'

const Alive = Type.Object({ status: Type.Literal('ok') })
const ALIVE: Static<typeof Alive> = { status: 'ok' }

const Check = Type.Union([Type.Literal('ok'), Type.Literal('away')])

const Readiness = Type.Object({
  status: Type.Union([Type.Literal('ready'), Type.Literal('unready')]),
  checks: Type.Object({
    postgres: Check,
    schema: Type.Union([Type.Literal('ok'), Type.Literal('mismatch'), Type.Literal('unknown')]),
    broker: Check,
    state: Check,
    oldest_due_age_seconds: Type.Union([Type.Number(), Type.Null()]),
  }),
})

/** Answers as long as the process can answer at all. */
export const healthz: Route = defineRoute({
  method: 'GET',
  path: '/healthz',
  access: 'none',
  operationId: 'getLiveness',
  summary: 'Whether the process is alive',
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
    responses: { 200: Readiness, 503: Readiness },
    handle: async () => {
      const body = await readiness(context)
      return body.status === 'ready' ? { status: 200, body } : { status: 503, body }
    },
  })
  return [healthz, readyz]
}
