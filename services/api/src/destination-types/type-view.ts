import { Type } from 'typebox'
import type { TypeDocument } from '@postrider/destinations'

const Text = Type.Optional(Type.String())
const Whole = Type.Optional(Type.Integer({ minimum: 0 }))

const Field = Type.Object(
  {
    key: Type.String({ description: 'Its name in config or credentials.' }),
    type: Type.Enum(['text', 'checkbox', 'select', 'key_value_map', 'number'], {
      description:
        'How it is asked for. A checkbox is `"true"` or `"false"`, a key_value_map a JSON object of strings as text.',
    }),
    label: Type.String(),
    description: Type.String(),
    required: Type.Boolean(),
    default: Text,
    sensitive: Type.Optional(Type.Boolean({ description: 'Masked in answers.' })),
    min: Type.Optional(Type.Number()),
    max: Type.Optional(Type.Number()),
    minlength: Whole,
    maxlength: Whole,
    pattern: Text,
    options: Type.Optional(
      Type.Array(
        Type.Object(
          { label: Type.String(), value: Type.String() },
          { additionalProperties: false },
        ),
      ),
    ),
  },
  { title: 'DestinationTypeField', additionalProperties: false },
)

/** What a tenant must know to fill in a destination of a type; it also drives validation. */
export const TypeView = Type.Unsafe<TypeDocument>(
  Type.Object(
    {
      type: Type.String({ examples: ['webhook'] }),
      label: Type.String(),
      description: Type.String(),
      icon: Type.String({ description: 'Inline SVG.' }),
      instructions: Type.String({ description: 'Markdown.' }),
      config_fields: Type.Array(Field),
      credential_fields: Type.Array(Field),
      setup_link: Type.Optional(
        Type.Object({ href: Type.String(), cta: Type.String() }, { additionalProperties: false }),
      ),
    },
    {
      title: 'DestinationType',
      additionalProperties: false,
      examples: [
        {
          type: 'webhook',
          label: 'Webhook',
          description: 'Sends each event as a signed HTTP POST to a URL.',
          icon: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"/>',
          instructions: '# Webhook\n\n1. Make an endpoint that takes HTTP POST requests.\n',
          config_fields: [
            {
              key: 'url',
              type: 'text',
              label: 'URL',
              description: 'Where events are sent: an http or https URL.',
              required: true,
              maxlength: 2048,
            },
          ],
          credential_fields: [],
        },
      ],
    },
  ),
)
