import type { DestinationSettings, TypeDocument } from '../../src/destination-type.ts'
import { lineIcon } from '../../src/line-icon.ts'

/** What the API, the forms and the docs say about subjects of NATS. */
export const natsSubjectDocument: TypeDocument = {
  type: 'nats_subject',
  label: 'NATS',
  description: 'Publishes each event as a message to a subject of NATS.',
  icon: lineIcon('<path d="M4 5h16v11h-7l-4 4v-4H4z"/>'),
  instructions: `# NATS

1. Enter your **Server** as \`host\` or \`host:port\`, and the **Subject** that events go to.
2. Make a user who may publish to that subject and do nothing else, and enter its **Token** here.

The payload of a message is the data of the event; its metadata is in the headers. An event may arrive more than once:
its id stays the same.
`,
  config_fields: [
    {
      key: 'server',
      type: 'text',
      label: 'Server',
      description: 'host or host:port, such as nats.example.com:4222.',
      required: true,
      maxlength: 1024,
    },
    {
      key: 'subject',
      type: 'text',
      label: 'Subject',
      description: 'Such as shop.orders.',
      required: true,
      maxlength: 255,
      // Words with dots between them: a wildcard or a space cannot be published to.
      pattern: '^[\\w\\-]+(?:\\.[\\w\\-]+)*$',
    },
  ],
  credential_fields: [
    {
      key: 'token',
      type: 'text',
      label: 'Token',
      description: 'Of a user who may publish to the subject.',
      required: true,
      sensitive: true,
      maxlength: 1024,
    },
  ],
}

export const natsSubjectExample: DestinationSettings = {
  config: { server: 'nats.example.com', subject: 'shop.orders' },
  credentials: { token: 'a long token' },
}
