import { accessKeySteps } from '../aws/access-key-steps.ts'
import { AWS_CREDENTIAL_FIELDS, AWS_EXAMPLE, endpointField, REGION_FIELD } from '../aws/fields.ts'
import type { DestinationSettings, TypeDocument } from '../destination-type.ts'
import { lineIcon } from '../line-icon.ts'

const POLICY = {
  Effect: 'Allow',
  Action: 'sqs:SendMessage',
  Resource: 'arn:aws:sqs:eu-west-1:123456789012:orders',
}

/** What the API, the forms and the docs say about queues of Amazon SQS. */
export const CLOUD_A_QUEUE_DOCUMENT: TypeDocument = {
  type: 'cloud_a_queue',
  label: 'AWS SQS',
  description: 'Sends each event as a message to a queue of Amazon SQS.',
  icon: lineIcon(
    '<rect x="3" y="8" width="5" height="8" rx="1"/><rect x="10.5" y="8" width="5" height="8" rx="1"/><path d="M18 12h4m-2-2 2 2-2 2M3 5h12.5M3 19h12.5"/>',
  ),
  instructions: `# AWS SQS

1. In the **Amazon SQS** console open your queue, or make one with **Create queue**, and enter its **URL** here as
   **Queue URL**.
${accessKeySteps(POLICY)}
5. If the queue is encrypted with a key of your own (SSE-KMS), the user also needs \`kms:GenerateDataKey\` and
   \`kms:Decrypt\` on that key.

The body of a message is the data of the event. The message attribute \`metadata\` holds all of the event's metadata as
one JSON object, with \`event-id\`, \`topic\` and \`timestamp\`; each key also has an attribute of its own, these three
first, as far as SQS's limit of ten and its rules for names and values go. A message of more than 1 MiB with its
attributes is not sent, and its attempt says so.

In a FIFO queue the event's id is the deduplication id. Messages of one group arrive in order, one after the other, so
give a **Message group ID** only if you want that: without one, your account's id is the group.

An event may arrive more than once: its id stays the same.
`,
  config_fields: [
    {
      key: 'queue_url',
      type: 'text',
      label: 'Queue URL',
      description: 'Such as https://sqs.eu-west-1.amazonaws.com/123456789012/orders.',
      required: true,
      maxlength: 2048,
    },
    {
      ...REGION_FIELD,
      description: 'Only for a queue URL that does not name its region.',
      required: false,
    },
    {
      key: 'message_group_id',
      type: 'text',
      label: 'Message group ID',
      description: 'The group of all messages in a FIFO queue. Without it, the id of your account.',
      required: false,
      maxlength: 128,
      pattern: '^[\\x21-\\x7e]+$',
    },
    endpointField('SQS'),
  ],
  credential_fields: AWS_CREDENTIAL_FIELDS,
}

export const CLOUD_A_QUEUE_EXAMPLE: DestinationSettings = {
  config: { queue_url: 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders' },
  credentials: AWS_EXAMPLE,
}
