import * as fc from 'fast-check'
import type { JsonSchema, OpenApiDocument } from '../../src/openapi/model.ts'

/** Values of members and parameters of a name, where some are more worth trying than any. */
export type KnownValues = Readonly<Record<string, fc.Arbitrary<unknown>>>

/**
 * Values that fit a schema, or nearly do: what JSON Schema says in words that are too hard to follow,
 * such as a pattern beyond fast-check, is left to luck.
 */
export class SchemaArbitraries {
  readonly #document: OpenApiDocument
  readonly #known: KnownValues

  constructor(document: OpenApiDocument, known: KnownValues) {
    this.#document = document
    this.#known = known
  }

  /** @param name - of the member or parameter that the value is for */
  of(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
    const fitting = this.#fitting(schema)
    const known = this.#known[name]
    return known === undefined
      ? fitting
      : fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: fitting })
  }

  #fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
    const { $ref, const: only, enum: values, oneOf, anyOf } = schema
    if (typeof $ref === 'string') return this.#exampleOrFitting(this.#resolve($ref))
    if (only !== undefined) return fc.constant(only)
    if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]))
    const choices = (oneOf ?? anyOf) as JsonSchema[] | undefined
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => this.of(choice)))
    const types = [schema['type'] ?? 'any'].flat() as string[]
    return fc.oneof(...types.map((type) => this.#ofType(type, schema)))
  }

  #exampleOrFitting(schema: JsonSchema): fc.Arbitrary<unknown> {
    const { examples = [] } = schema as { examples?: readonly unknown[] }
    const fitting = this.#fitting(schema)
    return examples.length === 0 ? fitting : fc.oneof(fc.constantFrom(...examples), fitting)
  }

  #ofType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
    const { minimum: min, maximum: max } = schema as { minimum?: number; maximum?: number }
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
        return fc.integer({ min: min ?? -1000, max: max ?? 1000 })
      case 'number':
        return fc.double({ min: min ?? -1e6, max: max ?? 1e6, noNaN: true })
      case 'string':
        return textOf(schema)
      case 'array':
        return fc.array(this.of((schema['items'] ?? {}) as JsonSchema), { maxLength: 4 })
      case 'object':
        return this.#object(schema)
      default:
        return fc.jsonValue({ maxDepth: 3 })
    }
  }

  #object(schema: JsonSchema): fc.Arbitrary<unknown> {
    const { properties, required = [], additionalProperties, propertyNames = {} } = schema
    if (properties !== undefined) {
      const members = Object.entries(properties as Record<string, JsonSchema>).filter(
        // What may be anything by its schema may not by other rules: it is left to mutations.
        ([, each]) => Object.keys(each).some((keyword) => keyword !== 'description'),
      )
      return fc.record(
        Object.fromEntries(members.map(([name, each]) => [name, this.of(each, name)])),
        { requiredKeys: required as string[], noNullPrototype: true },
      )
    }
    if (typeof additionalProperties !== 'object') {
      return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 4 }), {
        maxKeys: 4,
      })
    }
    const names = textOf(propertyNames as JsonSchema).filter((name) => name !== '__proto__')
    return fc.dictionary(names, this.of(additionalProperties as JsonSchema), { maxKeys: 4 })
  }

  #resolve(pointer: string): JsonSchema {
    const found = this.#document.components.schemas[pointer.split('/').at(-1) ?? '']
    if (found === undefined) throw new Error(`${pointer} leads nowhere`)
    return found
  }
}

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  const {
    pattern,
    format,
    minLength = 0,
  } = schema as {
    pattern?: string
    format?: string
    minLength?: number
  }
  if (format === 'date-time') {
    return fc.date({ noInvalidDate: true, min: EARLIEST, max: LATEST }).map((time) => time.toJSON())
  }
  const any = fc.string({ unit: 'grapheme', minLength, maxLength: minLength + 12 })
  return pattern === undefined ? any : (matching(pattern) ?? any)
}

const EARLIEST = new Date('0001-01-01T00:00:00Z')
const LATEST = new Date('9999-12-31T23:59:59.999Z')

/** Null: a pattern that fast-check does not understand. */
function matching(pattern: string): fc.Arbitrary<string> | null {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 40 })
  } catch {
    return null
  }
}
