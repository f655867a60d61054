import type { DestinationSettings, TypeDocument } from '../destination-type.ts'
import { lineIcon } from '../line-icon.ts'

/** What the API, the forms and the docs say about the event gateway. */
export const RELAY_DOCUMENT: TypeDocument = {
  type: 'relay',
  label: 'Hookdeck Event Gateway',
  description: 'Sends each event to a source of the Hookdeck Event Gateway, which routes it on.',
  icon: lineIcon(
    '<path d="M3 12h6M15 12h6M18 9l3 3-3 3"/><circle cx="12" cy="12" r="3"/><path d="M12 4v2M12 18v2"/>',
  ),
  instructions: `# Hookdeck Event Gateway

1. Choose **Connect**: the dashboard of Hookdeck opens and, when you have signed in, makes a source for this service in a
   project of yours.
2. Copy the **Token** that the dashboard shows, and enter it here. It may do nothing but send events to that one source.
3. In the dashboard make a **Connection** from the source to where events are to go.

A request's body is the data of the event; the event's metadata is in its headers. Each request is signed with the token,
which the gateway checks.

An event may arrive more than once: its id stays the same.
`,
  config_fields: [],
  credential_fields: [
    {
      key: 'token',
      type: 'text',
      label: 'Token',
      description: 'The token of the source, as the dashboard shows it.',
      required: true,
      sensitive: true,
      maxlength: 1024,
    },
  ],
  setup_link: { href: 'https://dashboard.hookdeck.com/connect', cta: 'Connect' },
}

export const RELAY_EXAMPLE: DestinationSettings = {
  config: {},
  credentials: { token: Buffer.from('src_1:a-key-of-the-gateway').toString('base64') },
}
