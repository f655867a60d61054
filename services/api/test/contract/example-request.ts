import type { Located } from './contract.ts'

interface Content {
  readonly params: ReadonlyMap<string, string>
  readonly search: string
  /** As parsed; undefined: none. */
  readonly body: unknown
  /** In place of the body. */
  readonly bytes?: string
  readonly type?: string
}

/** The request that the examples of an operation make, and variations of it. */
export class ExampleRequest {
  readonly method: string
  readonly #located: Located
  readonly #content: Content

  constructor(located: Located, content: Content) {
    this.#located = located
    this.#content = content
    this.method = located.method.toUpperCase()
  }

  get path(): string {
    const { params, search } = this.#content
    const path = this.#located.template.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => params.get(name) ?? '',
    )
    return search === '' ? path : `${path}?${search}`
  }

  get body(): unknown {
    return this.#content.body
  }

  /** What is sent; undefined: no body. */
  get text(): string | undefined {
    const { body, bytes } = this.#content
    return bytes ?? (body === undefined ? undefined : JSON.stringify(body))
  }

  get type(): string {
    return this.#content.type ?? 'application/json'
  }

  /** With another value for a parameter of the path, or where the path has none, for a member. */
  withValue(name: string, value: string): ExampleRequest {
    const { params } = this.#content
    if (!params.has(name)) return this.withMember(name, value)
    return this.#with({ params: new Map([...params, [name, value]]) })
  }

  withMember(name: string, value: unknown): ExampleRequest {
    return this.#with({ body: { ...(this.body as object), [name]: value } })
  }

  /** With this text, as it is, in place of the first parameter of the path. */
  withRawParameter(text: string): ExampleRequest {
    const [[first] = ['']] = this.#content.params
    return this.#with({ params: new Map([...this.#content.params, [first, text]]) })
  }

  withQuery(search: string): ExampleRequest {
    return this.#with({ search })
  }

  /** With the example tenant in the query, where it can be asked for there. */
  withQueryOfTenant(): ExampleRequest {
    const { parameters = [] } = this.#located.operation
    const tenant = parameters.find(
      ({ name, in: place }) => name === 'tenant_id' && place === 'query',
    )
    return tenant === undefined ? this : this.withQuery('tenant_id=acme')
  }

  withBytes(bytes: string): ExampleRequest {
    return this.#with({ bytes })
  }

  withType(type: string): ExampleRequest {
    return this.#with({ type })
  }

  #with(changed: Partial<Content>): ExampleRequest {
    return new ExampleRequest(this.#located, { ...this.#content, ...changed })
  }
}

/** The request that an operation's own examples make. */
export function exampleRequest(located: Located): ExampleRequest {
  const { parameters = [], requestBody } = located.operation
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  return new ExampleRequest(located, {
    params: new Map(inPath.map(({ name, example }) => [name, String(example)])),
    search: '',
    body: requestBody?.content['application/json'].example,
  })
}
