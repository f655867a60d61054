import { isDeepStrictEqual } from 'node:util'
import type { TypeDocument, TypeField } from '../destination-type.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * A document with other labels, descriptions and icon. What is given has the document's shape and may
 * leave anything out; members that are no texts may be there only as they are.
 *
 * @throws {Error} With the path of the member that is no text, or not the document's
 */
export function documentWithTexts(document: TypeDocument, given: unknown): TypeDocument {
  const texts = objectAt('', given)
  const { config_fields, credential_fields, ...members } = texts
  const label = textAt('label', members['label'], document.label)
  const description = textAt('description', members['description'], document.description)
  const icon = textAt('icon', members['icon'], document.icon)
  if (!icon.startsWith('<svg')) throw new Error('icon must be an inline SVG')
  refuseOthers(members, document, ['label', 'description', 'icon'])
  return {
    ...document,
    label,
    description,
    icon,
    config_fields: fieldsWithTexts('config_fields', document.config_fields, config_fields),
    credential_fields: fieldsWithTexts(
      'credential_fields',
      document.credential_fields,
      credential_fields,
    ),
  }
}

function fieldsWithTexts(
  path: string,
  fields: readonly TypeField[],
  given: unknown = [],
): readonly TypeField[] {
  if (!Array.isArray(given)) throw new Error(`${path} must be a list`)
  const byKey = new Map<unknown, Members>()
  for (const [index, each] of given.entries()) {
    const members = objectAt(`${path}[${index}]`, each)
    const { key } = members
    if (!fields.some((field) => field.key === key) || byKey.has(key)) {
      throw new Error(`${path}[${index}].key must be that of a field, each once`)
    }
    byKey.set(key, members)
  }
  return fields.map((field) => {
    const texts = byKey.get(field.key) ?? {}
    const at = `${path}.${field.key}`
    refuseOthers(texts, field, ['label', 'description'], `${at}.`)
    return {
      ...field,
      label: textAt(`${at}.label`, texts['label'], field.label),
      description: textAt(`${at}.description`, texts['description'], field.description),
    }
  })
}

function textAt(path: string, given: unknown, own: string): string {
  if (given === undefined) return own
  if (typeof given === 'string' && given.trim() !== '') return given
  throw new Error(`${path} must be a text that is not empty`)
}

function objectAt(path: string, given: unknown): Members {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Members
  throw new Error(path === '' ? 'must hold a JSON object' : `${path} must be an object`)
}

function refuseOthers(given: Members, own: object, texts: readonly string[], path = ''): void {
  const ownMembers = new Map<string, unknown>(Object.entries(own))
  for (const [name, value] of Object.entries(given)) {
    if (!texts.includes(name) && !isDeepStrictEqual(value, ownMembers.get(name))) {
      throw new Error(`${path}${name} is not a text that may be replaced`)
    }
  }
}
