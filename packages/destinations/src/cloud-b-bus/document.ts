import type { DestinationSettings, TypeDocument } from '../destination-type.ts'
import { lineIcon } from '../line-icon.ts'

/** What the API, the forms and the docs say about queues and topics of Azure Service Bus. */
export const CLOUD_B_BUS_DOCUMENT: TypeDocument = {
  type: 'cloud_b_bus',
  label: 'Azure Service Bus',
  description: 'Sends each event as a message to a queue or topic of Azure Service Bus.',
  icon: lineIcon('<path d="M4 4h16v16H4zM4 9h16M9 9v11"/><path d="m13 14 2.5 1.5L18 14"/>'),
  instructions: `# Azure Service Bus

1. In the **Azure portal** open your Service Bus namespace, and in it your queue or topic under **Entities**. Enter its
   name here as **Queue or topic**.
2. Open **Shared access policies** of that queue or topic, not of the whole namespace, and choose **Add**. Give the policy
   a name and the claim **Send** alone: it is all that is needed.
3. Open the policy, copy its **Primary connection string**, and enter it here as **Connection string**. It has the form

   \`\`\`
   Endpoint=sb://my-namespace.servicebus.windows.net/;SharedAccessKeyName=…;SharedAccessKey=…;EntityPath=my-queue
   \`\`\`

The body of a message is the data of the event, with the content type application/json. Its message id is the event's id,
so that duplicate detection works where you have it switched on. The event's metadata, with \`event-id\`, \`topic\` and
\`timestamp\`, is in the application properties.

An event may arrive more than once: its id stays the same.
`,
  config_fields: [
    {
      key: 'name',
      type: 'text',
      label: 'Queue or topic',
      description: 'The name of the queue or topic.',
      required: true,
      maxlength: 260,
      pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._\\/\\-]*[A-Za-z0-9])?$',
    },
  ],
  credential_fields: [
    {
      key: 'connection_string',
      type: 'text',
      label: 'Connection string',
      description: 'Of a shared access policy with the claim Send.',
      required: true,
      sensitive: true,
      maxlength: 4096,
    },
  ],
}

export const CLOUD_B_BUS_EXAMPLE: DestinationSettings = {
  config: { name: 'orders' },
  credentials: {
    connection_string:
      'Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0PQ==',
  },
}
