import type { DestinationSettings, TypeDocument } from '../destination-type.ts'
import { lineIcon } from '../line-icon.ts'

const NO_CONTROLS = '^[^\\x00-\\x1f\\x7f]*$'

/** What the API, the forms and the docs say about exchanges and queues of RabbitMQ. */
export const BROKER_QUEUE_DOCUMENT: TypeDocument = {
  type: 'broker_queue',
  label: 'RabbitMQ',
  description: 'Publishes each event as a message to an exchange of RabbitMQ (AMQP 0-9-1).',
  icon: lineIcon(
    '<path d="M3 12h5M8 12l4-5h3M8 12l4 5h3"/><rect x="15" y="4" width="6" height="6" rx="1"/><rect x="15" y="14" width="6" height="6" rx="1"/>',
  ),
  instructions: `# RabbitMQ

1. Choose the exchange that events go to, and enter its name as **Exchange**. It has to be there already. Leave the name
   empty for the default exchange, whose routing keys are names of queues.
2. Bind a queue to the exchange. The routing key of a message is the topic of its event, such as \`user.created\`, unless you
   enter another one as **Routing key**. A message that reaches no queue is a failure and is tried again later.
3. Make a user who may write to that exchange and do nothing else, and enter its **Username** and **Password** here:

   \`\`\`
   rabbitmqctl add_user events '…'
   rabbitmqctl set_permissions -p / events '^$' '^my-exchange$' '^$'
   \`\`\`

   For the default exchange write \`'^amq\\.default$'\` in place of \`'^my-exchange$'\`.
4. Enter the **Server** as \`host\`, \`host:port\` or \`host:port/vhost\`. The port is 5672 by default, and 5671 with **TLS**,
   which you should switch on for every server that is reached over the internet. Its certificate must be of a public
   authority.

The body of a message is the data of the event, persistent, with the content type application/json. Its message id is the
event's id. The event's metadata, with \`event-id\`, \`topic\` and \`timestamp\`, is in the headers. Every message is
confirmed by the server before it counts as delivered.

An event may arrive more than once: its id stays the same.
`,
  config_fields: [
    {
      key: 'server_url',
      type: 'text',
      label: 'Server',
      description: 'host, host:port or host:port/vhost, such as mq.example.com:5671/events.',
      required: true,
      maxlength: 1024,
    },
    {
      key: 'exchange',
      type: 'text',
      label: 'Exchange',
      description: 'The exchange that messages go to. Empty: the default exchange.',
      required: false,
      maxlength: 255,
      pattern: NO_CONTROLS,
    },
    {
      key: 'routing_key',
      type: 'text',
      label: 'Routing key',
      description: 'Of all messages. Without it, the topic of the event.',
      required: false,
      maxlength: 255,
      pattern: NO_CONTROLS,
    },
    {
      key: 'tls',
      type: 'checkbox',
      label: 'TLS',
      description: 'Connects with TLS.',
      required: false,
      default: 'false',
    },
  ],
  credential_fields: [
    {
      key: 'username',
      type: 'text',
      label: 'Username',
      description: 'A user who may write to the exchange.',
      required: true,
      maxlength: 255,
      pattern: NO_CONTROLS,
    },
    {
      key: 'password',
      type: 'text',
      label: 'Password',
      description: 'The password of the user.',
      required: true,
      sensitive: true,
      maxlength: 1024,
    },
  ],
}

export const BROKER_QUEUE_EXAMPLE: DestinationSettings = {
  config: { server_url: 'mq.example.com:5671/events', exchange: 'orders', tls: 'true' },
  credentials: { username: 'events', password: 'a long password' },
}
