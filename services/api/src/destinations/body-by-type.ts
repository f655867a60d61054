import { type TObject, type TSchema, Type } from 'typebox'
import type { DestinationType, Registry, TypeField } from '@postrider/destinations'

/**
 * The body that makes a destination, as the documentation shows it: one schema for each type, with the
 * fields that the type's document names.
 *
 * @param body - what the bodies of all types have in common
 */
export function bodyByType(body: TObject, registry: Registry): TSchema {
  const types = registry.list()
  return Type.Unsafe({
    oneOf: types.map((type) => bodyOf(body, type)),
    examples: types.map(exampleOf),
  })
}

function bodyOf(body: TObject, type: DestinationType): object {
  const { document } = type
  const config = fieldsSchema(document.config_fields)
  const credentials = fieldsSchema(document.credential_fields)
  return {
    ...body,
    title: `${pascal(document.type)}DestinationRequest`,
    description: document.description,
    properties: {
      ...body.properties,
      type: { type: 'string', const: document.type },
      // Where callers have no config to give, what they give is not looked at.
      ...(type.ownConfig === undefined ? { config } : {}),
      credentials,
    },
    required: [
      ...(body.required ?? []),
      ...(config.required.length > 0 ? ['config'] : []),
      ...(credentials.required.length > 0 ? ['credentials'] : []),
    ],
    examples: [exampleOf(type)],
  }
}

function exampleOf({ document, example: { config, credentials } }: DestinationType): object {
  const example = { type: document.type, topics: ['order.created'], config }
  return Object.keys(credentials).length === 0 ? example : { ...example, credentials }
}

/** `cloud_a_queue` as `CloudAQueue`. */
function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

interface FieldsSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

function fieldsSchema(fields: readonly TypeField[]): FieldsSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.key, fieldSchema(field)])),
    required: fields.filter((field) => field.required).map((field) => field.key),
    additionalProperties: false,
  }
}

function fieldSchema(field: TypeField): object {
  const { label, description, default: preset, sensitive } = field
  return {
    ...valueSchema(field),
    description: description === '' ? label : description,
    ...(preset === undefined ? {} : { default: preset }),
    ...(sensitive === true ? { format: 'password' } : {}),
  }
}

/** What is given as a number or boolean counts as its text, which is what is kept. */
const TEXT = ['string', 'number', 'boolean']

function valueSchema(field: TypeField): object {
  switch (field.type) {
    case 'checkbox':
      return { enum: ['true', 'false', true, false] }
    case 'select':
      return { enum: (field.options ?? []).flatMap(({ value }) => [value, ...bareValues(value)]) }
    case 'key_value_map':
      return { type: 'string', contentMediaType: 'application/json' }
    case 'number':
      return {
        type: ['string', 'number'],
        pattern: '^-?\\d+(?:\\.\\d+)?$',
        ...defined({ minimum: field.min, maximum: field.max }),
      }
    case 'text':
      return {
        type: TEXT,
        ...defined({
          // An empty text is not there, as far as it must be.
          minLength: field.required ? Math.max(field.minlength ?? 0, 1) : field.minlength,
          maxLength: field.maxlength,
          pattern: field.pattern,
        }),
      }
  }
}

/** The number or boolean of which this is the text; none of most texts. */
function bareValues(text: string): (number | boolean)[] {
  return [true, false, Number(text)].filter((value) => String(value) === text)
}

function defined(keywords: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined))
}
