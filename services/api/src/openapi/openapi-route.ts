import { Type } from 'typebox'
import { JsonText } from '../http/json-text.ts'
import { defineRoute, type Route } from '../http/route.ts'

/** @param text - the document; asked for once the routes are known, of which this is one */
export function openApiRoute(text: () => string): Route {
  let answer: JsonText | null = null
  return defineRoute({
    method: 'GET',
    path: '/openapi.json',
    access: 'none',
    operationId: 'getOpenApi',
    summary: 'This document',
    tag: 'Service',
    responses: {
      200: Type.Object(
        { openapi: Type.String(), info: Type.Object({}), paths: Type.Object({}) },
        { examples: [{ openapi: '3.1.0', info: { title: 'Postrider' }, paths: {} }] },
      ),
    },
    handle: async () => ({ status: 200, body: (answer ??= new JsonText(text())) }),
  })
}
