import type { TSchema } from 'typebox'

type Keywords = Readonly<Record<string, unknown>>

/**
 * An example of a schema: its own (`examples`), or one put together from those of its parts. Undefined
 * when a part that must be there has none.
 */
export function exampleOf(schema: TSchema): unknown {
  const keywords = schema as Keywords
  const { examples, default: preset, const: only, enum: values } = keywords
  if (Array.isArray(examples)) return examples[0] as unknown
  if (only !== undefined) return only
  if (preset !== undefined) return preset
  if (Array.isArray(values)) return values[0] as unknown
  if (Array.isArray(keywords['anyOf'])) return exampleOf((keywords['anyOf'] as TSchema[])[0] ?? {})
  switch (keywords['type']) {
    case 'array':
      return exampleOfList(keywords['items'] as TSchema)
    case 'object':
      return exampleOfObject(keywords)
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return undefined
  }
}

function exampleOfList(items: TSchema): unknown {
  const item = exampleOf(items)
  return item === undefined ? undefined : [item]
}

function exampleOfObject({ properties = {}, required = [] }: Keywords): unknown {
  const example: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties as Record<string, TSchema>)) {
    const isRequired = (required as string[]).includes(name)
    const isShown = isRequired || (schema as Keywords)['examples'] !== undefined
    const value = isShown ? exampleOf(schema) : undefined
    if (value === undefined && isRequired) return undefined
    if (value !== undefined) example[name] = value
  }
  return example
}
