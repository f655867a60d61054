/** The part of OpenAPI 3.1 that our document uses. */

export type JsonSchema = Readonly<Record<string, unknown>>

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** By path and by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly headers: Readonly<Record<string, Header>>
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>
  }
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly deprecated?: true
  /** One of them is needed; none: nobody is asked. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  /** By status. */
  readonly responses: Readonly<Record<string, Response | BodilessResponse | Reference>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface RequestBody {
  readonly required: boolean
  readonly content: { readonly 'application/json': MediaType }
}

export interface BodilessResponse {
  readonly description: string
  readonly headers: Readonly<Record<string, Reference>>
}

export interface Response extends BodilessResponse {
  readonly content: { readonly 'application/json': MediaType }
}

export interface MediaType {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, Example>>
}

export interface Example {
  readonly summary?: string
  readonly value: unknown
}

export interface Header {
  readonly description: string
  readonly required: true
  readonly schema: JsonSchema
}

export interface Reference {
  readonly $ref: string
}
