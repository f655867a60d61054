import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'

/** Faults of a value, each a sentence that starts with the path of the field; none = valid. */
export type Validator = (value: unknown) => readonly string[]

/**
 * Compiles schemas, once, at start.
 *
 * A schema may carry `x-rule`: the words after the path when its pattern or its names are not met
 * (`must be 1 to 128 of A-Z a-z 0-9 . _ -`); a pattern alone tells a person little.
 */
export class Validators {
  readonly #ajv = addFormats.default(
    new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true }),
  )

  constructor() {
    this.#ajv.addVocabulary(['x-rule'])
  }

  /** @param member - how an unknown member is called: a member of a body, a parameter of a query */
  compile(schema: TSchema, member: 'member' | 'parameter'): Validator {
    const validate = this.#ajv.compile(schema)
    return (value) => {
      if (validate(value)) return NONE
      return (validate.errors ?? []).flatMap((error) => sentences(error, member))
    }
  }
}

const NONE: readonly string[] = []

function sentences(error: ErrorObject, member: string): string[] {
  const path = pathOf(error.instancePath)
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'required':
      return [`${join(path, String(params['missingProperty']))} is required`]
    case 'additionalProperties':
      return [`${join(path, String(params['additionalProperty']))} is not a known ${member}`]
    case 'propertyNames':
      // Told by the error of the name itself.
      return []
  }
  const rule = ruleOf(error) ?? plainRule(error.keyword, params) ?? error.message ?? 'is not valid'
  return [`${subject(path, error.propertyName)} ${rule}`]
}

/** In the words of docs/api.md: the path of a field, or the body as a whole. */
function subject(path: string, propertyName: string | undefined): string {
  const full = propertyName === undefined ? path : join(path, propertyName)
  return full === '' ? 'body' : full
}

/** The keywords whose own words tell a person little. */
const RULED = new Set(['pattern', 'minLength', 'maxLength', 'format'])

function ruleOf(error: ErrorObject): string | null {
  if (!RULED.has(error.keyword)) return null
  const rule = error.parentSchema?.['x-rule']
  return typeof rule === 'string' ? rule : null
}

function plainRule(keyword: string, params: Record<string, unknown>): string | null {
  const limit = String(params['limit'])
  switch (keyword) {
    case 'type':
      return `must be ${alternatives(params['type']).map(withArticle).join(' or ')}`
    case 'enum':
      return `must be one of ${alternatives(params['allowedValues']).join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} items`
    case 'maxItems':
      return `must have at most ${limit} items`
    case 'maxProperties':
      return `must have at most ${limit} members`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'format':
      return `must be a ${params['format'] === 'date-time' ? 'time of RFC 3339' : String(params['format'])}`
    default:
      return null
  }
}

function alternatives(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(String)
}

function withArticle(type: string): string {
  if (type === 'null') return type
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`
}

/** `/config/topics/0` as `config.topics[0]`. */
function pathOf(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, part) => (/^\d+$/.test(part) && path !== '' ? `${path}[${part}]` : join(path, part)),
      '',
    )
}

function join(path: string, part: string): string {
  return path === '' ? part : `${path}.${part}`
}
