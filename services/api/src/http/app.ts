import express, { type Express, type Request, type Response, type Router } from 'express'
import type { Log } from '@postrider/common'
import { type Authenticator, authorize } from './auth.ts'
import { parseJson, readBody } from './body.ts'
import { errorHandler } from './error-handler.ts'
import { ApiError, validationError } from './errors.ts'
import { queryParser } from './query.ts'
import { requestIdOf, requestIds } from './request-id.ts'
import type { Method, Route } from './route.ts'
import { send, sendCacheable } from './send.ts'
import { type Validator, Validators } from './validation.ts'

export const BASE_PATH = '/api/v1'

export interface AppParts {
  readonly authenticator: Authenticator
  readonly maxRequestBodyBytes: number
  readonly log: Log
  /** What is served besides the API, such as the page that shows its document. Default: nothing. */
  readonly pages?: Router
}

/**
 * The express app that serves the routes under the base path, and those in `rootRoutes` at the root.
 *
 * Refusals come in this order (docs/api.md): route (404, 405), authentication (401, 403), media
 * type, size and JSON (415, 413, 400), validation (422, all faults at once); then the handler has its
 * say. Whatever depends on schemas is made here, once, not per request.
 */
export function createApp(
  parts: AppParts,
  routes: readonly Route[],
  rootRoutes: readonly Route[] = [],
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.enable('case sensitive routing')
  app.use(requestIds)
  const validators = new Validators()
  mount(app, parts, validators, '', rootRoutes)
  mount(app, parts, validators, BASE_PATH, routes)
  if (parts.pages !== undefined) app.use(parts.pages)
  app.use(() => {
    throw new ApiError('not_found', 'no such path')
  })
  app.use(errorHandler(parts.log))
  return app
}

function mount(
  app: Express,
  parts: AppParts,
  validators: Validators,
  basePath: string,
  routes: readonly Route[],
): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const atPath = routes.filter((route) => route.path === path)
    const entry = app.route(basePath + path)
    for (const route of atPath) entry[verbOf(route.method)](serve(parts, validators, route))
    const allow = [...new Set(atPath.flatMap(({ method }) => allowed(method)))].join(', ')
    entry.all(() => {
      throw new ApiError('method_not_allowed', `this path knows ${allow}`, { headers: { allow } })
    })
  }
}

function serve(
  parts: AppParts,
  validators: Validators,
  route: Route,
): (req: Request, res: Response) => Promise<void> {
  const validateParams = validatorOf(validators, route.params, 'parameter')
  const validateQuery = validatorOf(validators, route.query, 'parameter')
  const validateBody = validatorOf(validators, route.body, 'member')
  const parseQuery = queryParser(route.query)
  return async (req, res) => {
    const { params } = req
    const query = parseQuery(req.url)
    const caller = await authorize(parts.authenticator, route, {
      authorization: req.headers.authorization,
      params,
      query: query.values,
    })
    const rawBody =
      route.body === undefined ? NO_BODY : await readBody(req, parts.maxRequestBodyBytes)
    const isAbsent =
      route.body === undefined || (rawBody.length === 0 && route.isBodyOptional === true)
    const body = isAbsent ? undefined : parseJson(rawBody)
    const faults = [...validateParams(params), ...query.faults, ...validateQuery(query.values)]
    if (!isAbsent) faults.push(...validateBody(body), ...(route.check?.(body, rawBody) ?? []))
    if (faults.length > 0) throw validationError(faults)
    const requestId = requestIdOf(res)
    const reply = await route.handle({
      caller,
      params,
      query: query.values,
      body,
      rawBody,
      requestId,
    })
    if (route.isDeprecated === true) markDeprecated(res, route, req)
    const { cacheForSeconds: forSeconds } = route
    if (forSeconds === undefined) send(res, reply.status, reply.body)
    else sendCacheable(req, res, { ...reply, forSeconds })
  }
}

const NO_BODY = Buffer.alloc(0)
const anything: Validator = () => []

function validatorOf(
  validators: Validators,
  schema: Route['body'],
  member: 'member' | 'parameter',
): Validator {
  return schema === undefined ? anything : validators.compile(schema, member)
}

function markDeprecated(res: Response, route: Route, req: Request): void {
  res.setHeader('deprecation', 'true')
  if (route.successor === undefined) return
  const path = route.successor.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(req.params[name])),
  )
  res.setHeader('link', `<${BASE_PATH}${path}>; rel="successor-version"`)
}

function verbOf(method: Method): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  switch (method) {
    case 'GET':
      return 'get'
    case 'POST':
      return 'post'
    case 'PUT':
      return 'put'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return 'delete'
  }
}

/** express answers HEAD wherever there is a GET. */
function allowed(method: Method): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}
