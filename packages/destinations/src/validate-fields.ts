import type { StringMap } from '@postrider/common'
import type { DestinationSettings, DestinationType, TypeField } from './destination-type.ts'

/**
 * Faults of settings, each a sentence that starts with the path of the field (`config.url is
 * required`): first against the type's document; if they fit it, by the type's own rules. All faults
 * of a stage are in one answer; none: the settings may be written. Of a type that has its config from
 * nobody, only credentials are looked at.
 */
export function validateSettings(
  type: DestinationType,
  settings: DestinationSettings,
): readonly string[] {
  const { config_fields, credential_fields } = type.document
  const faults = [
    ...(type.ownConfig === undefined ? fieldFaults('config', config_fields, settings.config) : []),
    ...fieldFaults('credentials', credential_fields, settings.credentials),
  ]
  return faults.length > 0 ? faults : type.validate(settings)
}

function fieldFaults(part: string, fields: readonly TypeField[], values: StringMap): string[] {
  const known = new Set(fields.map((field) => field.key))
  const unknown = Object.keys(values).filter((key) => !known.has(key))
  return [
    ...unknown.map((key) => `${part}.${key} is unknown`),
    ...fields.flatMap((field) => {
      const value = Object.hasOwn(values, field.key) ? values[field.key] : undefined
      const path = `${part}.${field.key}`
      if (value === undefined || (value === '' && field.required)) {
        return field.required ? [`${path} is required`] : []
      }
      return valueFaults(field, value).map((fault) => `${path} ${fault}`)
    }),
  ]
}

function valueFaults(field: TypeField, value: string): string[] {
  switch (field.type) {
    case 'checkbox':
      return value === 'true' || value === 'false' ? [] : ['must be true or false']
    case 'select': {
      const values = (field.options ?? []).map((option) => option.value)
      return values.includes(value) ? [] : [`must be one of ${values.join(', ')}`]
    }
    case 'key_value_map':
      return isStringMap(value) ? [] : ['must be a JSON object of strings']
    case 'number':
      return numberFaults(field, value)
    case 'text':
      return textFaults(field, value)
  }
}

function numberFaults({ min, max }: TypeField, value: string): string[] {
  if (!/^-?\d+(?:\.\d+)?$/.test(value)) return ['must be a number']
  const number = Number(value)
  if (min !== undefined && number < min) return [`must be at least ${min}`]
  if (max !== undefined && number > max) return [`must be at most ${max}`]
  return []
}

function textFaults({ minlength, maxlength, pattern }: TypeField, value: string): string[] {
  const faults: string[] = []
  if (minlength === 1 && value === '') faults.push('must not be empty')
  else if (minlength !== undefined && value.length < minlength) {
    faults.push(`must be at least ${minlength} characters long`)
  }
  if (maxlength !== undefined && value.length > maxlength) {
    faults.push(`must be at most ${maxlength} characters long`)
  }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    faults.push(`must match ${pattern}`)
  }
  return faults
}

function isStringMap(text: string): boolean {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return false
  }
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string')
  )
}
