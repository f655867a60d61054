import type { TSchema } from 'typebox'
import type { JsonSchema, Reference, Response } from './model.ts'

/** What several places of the document refer to. */
export class Components {
  readonly #schemas = new Map<string, { readonly text: string; readonly schema: JsonSchema }>()
  readonly #responses = new Map<string, Response>()

  /** The schemas so far, by name. */
  get schemas(): Record<string, JsonSchema> {
    return sorted([...this.#schemas].map(([name, { schema }]) => [name, schema]))
  }

  /** The responses so far, by name. */
  get responses(): Record<string, Response> {
    return sorted([...this.#responses])
  }

  /** A reference to the response of this name, which is made when it is not there yet. */
  response(name: string, make: () => Response): Reference {
    if (!this.#responses.has(name)) this.#responses.set(name, make())
    return { $ref: `#/components/responses/${name}` }
  }

  /**
   * The schema of a route as it stands in the document where it is used: one with a title becomes a
   * component, and a reference to it.
   *
   * @throws {Error} When two schemas that differ have the same title
   */
  schema(schema: TSchema): JsonSchema {
    const { title, type } = schema as { title?: string; type?: unknown }
    if (title === undefined) return this.#translate(schema)
    if (!Array.isArray(type)) return this.#component(title, schema)
    // A titled schema that may also be null is still the component that it is without null.
    const [first, ...others] = type.filter((each) => each !== 'null') as unknown[]
    const bare = { ...schema, type: others.length === 0 ? first : [first, ...others] }
    return { anyOf: [this.#component(title, bare), { type: 'null' }] }
  }

  #component(name: string, schema: TSchema): JsonSchema {
    const text = JSON.stringify(schema)
    const known = this.#schemas.get(name)
    if (known === undefined) this.#schemas.set(name, { text, schema: this.#translate(schema) })
    else if (known.text !== text) throw new Error(`two schemas have the title ${name}`)
    return { $ref: `#/components/schemas/${name}` }
  }

  #translate(schema: TSchema): JsonSchema {
    const translated: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema)) {
      // The words that our own answers use; to a reader they are the description of the pattern.
      if (keyword === 'x-rule') translated['description'] ??= sentence(String(value))
      else translated[keyword] = this.#translateKeyword(keyword, value)
    }
    return translated
  }

  #translateKeyword(keyword: string, value: unknown): unknown {
    switch (keyword) {
      case 'properties':
        return Object.fromEntries(
          Object.entries(value as Record<string, TSchema>).map(([name, each]) => [
            name,
            this.schema(each),
          ]),
        )
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return (value as TSchema[]).map((each) => this.schema(each))
      case 'items':
      case 'propertyNames':
      case 'additionalProperties':
        return typeof value === 'boolean' ? value : this.schema(value as TSchema)
      default:
        return value
    }
  }
}

function sorted<T>(entries: [name: string, T][]): Record<string, T> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** `must be a time` as `Must be a time.` */
function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
}
