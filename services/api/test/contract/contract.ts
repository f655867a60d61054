import addFormats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type {
  BodilessResponse,
  OpenApiDocument,
  Operation,
  Parameter,
  Response,
} from '../../src/openapi/model.ts'

export interface Request {
  /** As it is sent: percent-encoded, below the base path, with its query. */
  readonly path: string
  readonly method: string
  /** As parsed; undefined: none. */
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** As parsed. */
  readonly body: unknown
}

/** An operation of the document, with where it stands there. */
export interface Located {
  readonly operation: Operation
  readonly method: string
  readonly template: string
}

const DOCUMENT = 'document'

/** Holds requests and answers to an OpenAPI document, to the letter. */
export class Contract {
  readonly document: OpenApiDocument
  readonly operations: readonly Located[]
  readonly #ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: OpenApiDocument) {
    this.document = document
    this.#ajv.addSchema(document, DOCUMENT, false, false)
    this.operations = Object.entries(document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ template, method, operation })),
    )
  }

  /** The operation that a request asks for; undefined: the document has none. */
  find({ method, path }: Pick<Request, 'method' | 'path'>): Located | undefined {
    const [pathname = ''] = path.split('?')
    // HEAD is GET without a body.
    const wanted = method.toLowerCase().replace(/^head$/, 'get')
    return this.operations.find(
      (each) => each.method === wanted && patternOf(each.template).test(pathname),
    )
  }

  /** What of an answer the document does not say. */
  answerFaults(request: Request, answer: Answer): string[] {
    const located = this.find(request)
    if (located === undefined) return this.#refusalFaults(request, answer)
    const { operation, pointer } = { ...located, pointer: pointerOf(located) }
    const response = operation.responses[answer.status]
    const name = `${operation.operationId}: ${answer.status}`
    if (response === undefined) return [`${name} is not documented`]
    const at = '$ref' in response ? response.$ref : `${pointer}/responses/${answer.status}`
    const described = this.#resolve(response)
    const faults = this.#headerFaults(described, answer.headers)
    if (request.method !== 'HEAD' && 'content' in described) {
      faults.push(...this.faultsAt(`${at}/content/application~1json/schema`, answer.body))
    }
    return faults.map((fault) => `${name}: ${fault}`)
  }

  /** Why a request does not fit its operation. */
  requestFaults(request: Request): string[] {
    const located = this.find(request)
    if (located === undefined) return [`${request.method} ${request.path} is not documented`]
    const faults = this.#parameterFaults(located, request)
    const { requestBody } = located.operation
    if (requestBody === undefined || request.body === undefined) {
      if (requestBody?.required === true) faults.push('the body is missing')
      return faults
    }
    const schema = `${pointerOf(located)}/requestBody/content/application~1json/schema`
    return [...faults, ...this.faultsAt(schema, request.body)]
  }

  /** Faults of a value by the schema at a pointer (`#/…`) in the document. */
  faultsAt(pointer: string, value: unknown): string[] {
    let validate = this.#validators.get(pointer)
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `${DOCUMENT}${pointer}` })
      this.#validators.set(pointer, validate)
    }
    if (validate(value)) return []
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  }

  /** Of answers to what is no operation: such paths and methods are refused. */
  #refusalFaults({ method }: Request, { status, body }: Answer): string[] {
    if (status !== 404 && status !== 405) return [`what is not documented is answered: ${status}`]
    if (method === 'HEAD') return []
    const { code } = Object(body) as { code?: unknown }
    return code === 'not_found' || code === 'method_not_allowed'
      ? this.faultsAt('#/components/schemas/Error', body)
      : [`what is not documented is refused with ${String(code)}`]
  }

  #headerFaults(response: Response | BodilessResponse, headers: Answer['headers']): string[] {
    const faults = Object.keys(response.headers).flatMap((name) => {
      if (headers[name] === undefined) return [`the header ${name} is missing`]
      const schema = `#/components/headers/${name}/schema`
      return this.faultsAt(schema, headers[name]).map((fault) => `header ${name}${fault}`)
    })
    const type = 'content' in response ? 'application/json; charset=utf-8' : undefined
    if (headers['content-type'] !== type) {
      faults.push(`the content-type is ${String(headers['content-type'])}`)
    }
    return faults
  }

  #parameterFaults(located: Located, request: Request): string[] {
    const { parameters = [] } = located.operation
    const given = givenParameters(located, request.path)
    const known = new Set(parameters.map(({ name }) => name))
    const unknown = [...given.keys()].filter((name) => !known.has(name))
    return [
      ...unknown.map((name) => `${name} is not documented`),
      ...parameters.flatMap((parameter, i) => {
        const values = given.get(parameter.name)
        if (values === undefined) return parameter.required ? [`${parameter.name} is missing`] : []
        const schema = `${pointerOf(located)}/parameters/${i}/schema`
        return this.faultsAt(schema, valueOf(parameter, values)).map(
          (fault) => `${parameter.name}${fault}`,
        )
      }),
    ]
  }

  #resolve(response: Operation['responses'][string]): Response | BodilessResponse {
    if (!('$ref' in response)) return response
    const found = this.document.components.responses[response.$ref.split('/').at(-1) ?? '']
    if (found === undefined) throw new Error(`${response.$ref} leads nowhere`)
    return found
  }
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`)
}

/** Where an operation stands in the document. */
export function pointerOf({ template, method }: Located): string {
  return `#/paths/${template.replaceAll('/', '~1').replaceAll(/[{}]/g, encodeURIComponent)}/${method}`
}

/** The parameters of a path and its query, decoded; `x[]` and `x[0]` are spellings of `x`. */
function givenParameters({ template, operation }: Located, path: string): Map<string, string[]> {
  const [pathname = '', search = ''] = path.split('?')
  const given = new Map<string, string[]>()
  const names = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
  const values = patternOf(template).exec(pathname)?.slice(1) ?? []
  names.forEach((name, i) => given.set(name, [decodeURIComponent(values[i] ?? '')]))
  const known = new Set(operation.parameters?.map(({ name }) => name))
  for (const [spelt, value] of new URLSearchParams(search)) {
    const name = known.has(spelt) ? spelt : spelt.replace(/\[\d*\]$/, '')
    given.set(name, [...(given.get(name) ?? []), value])
  }
  return given
}

function valueOf({ schema }: Parameter, values: readonly string[]): unknown {
  if (schema['type'] === 'array') return values
  if (values.length > 1) return values
  const [value = ''] = values
  return schema['type'] === 'integer' && /^-?\d+$/.test(value) ? Number(value) : value
}
