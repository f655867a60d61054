import type { TSchema } from 'typebox'
import type { JsonSchema } from './model.ts'

/**
 * Turns the schemas of routes into those of the document. A schema with a title becomes a component,
 * which everything else refers to.
 */
export class SchemaComponents {
  readonly #schemas = new Map<string, { readonly text: string; readonly schema: JsonSchema }>()

  /** The components so far, by name. */
  get all(): Record<string, JsonSchema> {
    const byName = [...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(byName.map(([name, { schema }]) => [name, schema]))
  }

  /**
   * The schema as it stands where it is used.
   *
   * @throws {Error} When two schemas that differ have the same title
   */
  use(schema: TSchema): JsonSchema {
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
            this.use(each),
          ]),
        )
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return (value as TSchema[]).map((each) => this.use(each))
      case 'items':
      case 'propertyNames':
      case 'additionalProperties':
        return typeof value === 'boolean' ? value : this.use(value as TSchema)
      default:
        return value
    }
  }
}

/** `must be a time` as `Must be a time.` */
export function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
}
