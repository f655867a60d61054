import type { DestinationSettings, TypeDocument } from '../destination-type.ts'
import { lineIcon } from '../line-icon.ts'
import type { WebhookSettings } from './settings.ts'
import { STANDARD_SECRET_RULE } from './standard-secret.ts'

/** What the API, the forms and the docs say about webhooks in this mode. */
export function webhookDocument(mode: WebhookSettings['mode']): TypeDocument {
  if (mode === 'default') return DOCUMENT
  // Said, not demanded by a pattern: secrets from before that mode may stay.
  const credential_fields = DOCUMENT.credential_fields.map((field) =>
    field.key === 'secret' || field.key === 'previous_secret'
      ? { ...field, description: `${field.description} A new one ${STANDARD_SECRET_RULE}.` }
      : field,
  )
  return { ...DOCUMENT, credential_fields }
}

const DOCUMENT: TypeDocument = {
  type: 'webhook',
  label: 'Webhook',
  description: 'Sends each event as a signed HTTP POST to a URL.',
  icon: lineIcon(
    '<circle cx="12" cy="7" r="3"/><circle cx="6" cy="17" r="3"/><circle cx="18" cy="17" r="3"/><path d="m10.5 9.6-3 4.8M13.5 9.6l3 4.8M9 17h6"/>',
  ),
  instructions: `# Webhook

1. Make an endpoint that takes HTTP POST requests with a JSON body, and enter its URL.
2. Answer with any 2xx status within a few seconds. Everything else, redirects included, is a failure
   and is tried again later; 410 (Gone) disables the destination.
3. Verify the signature of every request with the secret shown here, over the exact bytes of the body.
4. An event may arrive more than once: its id stays the same.
`,
  config_fields: [
    {
      key: 'url',
      type: 'text',
      label: 'URL',
      description: 'Where events are sent: an http or https URL.',
      required: true,
      maxlength: 2048,
    },
    {
      key: 'custom_headers',
      type: 'key_value_map',
      label: 'Custom headers',
      description: 'Headers that every request carries besides those of the service.',
      required: false,
    },
  ],
  // Not sensitive: the receiver needs the secrets to verify, so they are shown in full.
  credential_fields: [
    {
      key: 'secret',
      type: 'text',
      label: 'Signing secret',
      description: 'Signs every request. Generated when not given.',
      required: false,
      minlength: 1,
      maxlength: 512,
    },
    {
      key: 'previous_secret',
      type: 'text',
      label: 'Previous signing secret',
      description: 'Signs as well until it becomes invalid, so that receivers can change over.',
      required: false,
      minlength: 1,
      maxlength: 512,
    },
    {
      key: 'previous_secret_invalid_at',
      type: 'text',
      label: 'Previous secret invalid at',
      description: 'When the previous secret stops signing (RFC 3339).',
      required: false,
    },
    {
      key: 'rotate_secret',
      type: 'checkbox',
      label: 'Rotate the secret',
      description: 'Makes a new secret; the current one stays valid for 24 hours besides it.',
      required: false,
    },
  ],
}

export const WEBHOOK_EXAMPLE: DestinationSettings = {
  config: { url: 'https://example.com/hook' },
  credentials: {},
}
