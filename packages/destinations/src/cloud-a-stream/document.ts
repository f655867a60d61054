import { accessKeySteps } from '../aws/access-key-steps.ts'
import { AWS_CREDENTIAL_FIELDS, AWS_EXAMPLE, endpointField, REGION_FIELD } from '../aws/fields.ts'
import type { DestinationSettings, TypeDocument } from '../destination-type.ts'
import { lineIcon } from '../line-icon.ts'

const POLICY = {
  Effect: 'Allow',
  Action: 'kinesis:PutRecords',
  Resource: 'arn:aws:kinesis:eu-west-1:123456789012:stream/orders',
}

/** What the API, the forms and the docs say about streams of Amazon Kinesis. */
export const CLOUD_A_STREAM_DOCUMENT: TypeDocument = {
  type: 'cloud_a_stream',
  label: 'AWS Kinesis',
  description: 'Puts each event as a record into a stream of Amazon Kinesis Data Streams.',
  icon: lineIcon(
    '<path d="M3 7c3-3 6-3 9 0s6 3 9 0M3 12c3-3 6-3 9 0s6 3 9 0M3 17c3-3 6-3 9 0s6 3 9 0"/>',
  ),
  instructions: `# AWS Kinesis

1. In the **Amazon Kinesis** console open your data stream, or make one with **Create data stream**, and enter its name
   as **Stream name** and its **Region** here.
${accessKeySteps(POLICY)}
5. If the stream is encrypted with a key of your own, the user also needs \`kms:GenerateDataKey\` on that key.

A record is a JSON object with the members \`metadata\` (the event's metadata with \`event-id\`, \`topic\` and
\`timestamp\`) and \`data\` (the data of the event). The operator of this service may have chosen the bare data instead.
A stream takes records of up to 1 MiB, or as much as you set it to; for a larger event, the attempt says so.

Records with the same partition key go to the same shard. The key is the event's id, which spreads the
records evenly, unless you give a **Partition key template**: a JMESPath expression over \`metadata\` and \`data\`, such as

\`\`\`
join('-', [data.account, to_string(data.region)])
\`\`\`

It may use paths, literals, \`||\`, \`join('…', […])\`, \`lower\`, \`upper\`, \`not_null\` and \`to_string\`. When an event
does not have what the template names, its id is the key. An event for which it makes an empty key, or one of more than 256
characters, is not sent, and its attempt says so.

An event may arrive more than once: its id stays the same.
`,
  config_fields: [
    {
      key: 'stream_name',
      type: 'text',
      label: 'Stream name',
      description: 'The name of the stream, without its ARN.',
      required: true,
      maxlength: 128,
      pattern: '^[a-zA-Z0-9_.-]+$',
    },
    REGION_FIELD,
    {
      key: 'partition_key_template',
      type: 'text',
      label: 'Partition key template',
      description: 'A JMESPath expression over metadata and data. Without it, the id of the event.',
      required: false,
      minlength: 1,
      maxlength: 1024,
    },
    endpointField('Kinesis'),
  ],
  credential_fields: AWS_CREDENTIAL_FIELDS,
}

export const CLOUD_A_STREAM_EXAMPLE: DestinationSettings = {
  config: { stream_name: 'orders', region: 'eu-west-1' },
  credentials: AWS_EXAMPLE,
}
