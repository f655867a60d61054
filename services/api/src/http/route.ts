import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { JsonText } from './json-text.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The groups that the documentation shows routes in, in its order. */
export const TAGS = [
  'Publish',
  'Events',
  'Attempts',
  'Destinations',
  'Destination types',
  'Tenants',
  'Service',
] as const

export type Tag = (typeof TAGS)[number]

/**
 * Who may call a route. `tenant`: the admin, or that tenant with a token of its own; a token for
 * another tenant's path is refused before the route is asked.
 */
export type Access = 'none' | 'admin' | 'tenant'

/** Who calls. On routes for everybody nobody is asked, and the caller is `anonymous`. */
export type Caller =
  | { readonly kind: 'admin' }
  | { readonly kind: 'tenant'; readonly tenantId: string }
  | { readonly kind: 'anonymous' }

/** What a handler gets: validated and typed by the schemas of its route. */
export interface Input<Params, Query, Body> {
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The bytes that `body` was parsed from, inflated; empty when there was no body. */
  readonly rawBody: Buffer
  readonly requestId: string
}

/** The answers that the schemas of a route allow; `JsonText` is a body that is already serialised. */
export type Reply<Responses> = {
  [S in keyof Responses & number]: {
    readonly status: S
    readonly body: Responses[S] extends TSchema ? Static<Responses[S]> | JsonText : never
  }
}[keyof Responses & number]

/**
 * One route: the one source of its validation, of its types and of its part of the OpenAPI document.
 */
export interface RouteDefinition<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Responses extends Readonly<Record<number, TSchema>>,
> {
  readonly method: Method
  /** Relative to the base path; parameters as `:name`. */
  readonly path: string
  readonly access: Access
  readonly operationId: string
  /** One line, for the documentation. */
  readonly summary: string
  /** Markdown, for the documentation: what the summary leaves open. */
  readonly description?: string
  readonly tag: Tag
  /** The answer carries `Deprecation: true`, and a link to the successor. */
  readonly isDeprecated?: boolean
  /** The path to use instead, in the form of `path`. */
  readonly successor?: string
  /** An object schema; default: whatever the path says, unchecked. */
  readonly params?: Params
  /**
   * An object schema. Its members say which parameters exist: an array may be repeated (also as
   * `x[]` and `x[0]`), an integer is parsed. Default: the route knows no parameters.
   */
  readonly query?: Query
  /** Default: the route takes no body, and reads none. */
  readonly body?: Body
  /**
   * What the documentation shows in place of `body`: the same, with such rules of `check` as a schema
   * can say. Every body that is accepted must fit it.
   */
  readonly documentedBody?: TSchema
  /** A request without a body is fine, and `body` is undefined. Default false. */
  readonly isBodyOptional?: boolean
  /**
   * For how long everybody may keep the answer of success. It then has an ETag, and who asks again with
   * that and has the newest already is told so with 304. Default: nothing is said about it.
   */
  readonly cacheForSeconds?: number
  /** The bodies of success, by status. Error bodies are the same everywhere. */
  readonly responses: Responses
  /**
   * The refusals that are this route's own: of existence (404) and of state (409). Those that follow
   * from its form, such as 401 and 422, need no mention.
   */
  readonly errors?: readonly ErrorCode[]
  /**
   * Faults of the body that its schema cannot say; each a sentence that starts with the path of the
   * field. Called with the body as parsed, also when the schema found faults, so that the caller
   * hears all of them at once: nothing about its form is known here.
   */
  check?(body: unknown, rawBody: Buffer): readonly string[]
  handle(
    input: Input<Static<Params>, Static<Query>, Static<Body>>,
  ): Promise<Reply<NoInfer<Responses>>>
}

/** A route whose own types are forgotten: what the app serves and the document describes. */
export interface Route extends Omit<
  RouteDefinition<TSchema, TSchema, TSchema, Record<number, TSchema>>,
  'handle'
> {
  handle(input: Input<unknown, unknown, unknown>): Promise<AnyReply>
}

export interface AnyReply {
  readonly status: number
  readonly body: unknown
}

/** Defines a route; the types of its handler follow from its schemas. */
export function defineRoute<
  const Responses extends Readonly<Record<number, TSchema>>,
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
>(definition: RouteDefinition<Params, Query, Body, Responses>): Route {
  // Sound, because the app hands a handler only what the schemas of its own route let through.
  return definition
}
