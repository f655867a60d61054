import { accessKeySteps } from '../aws/access-key-steps.ts'
import { AWS_CREDENTIAL_FIELDS, AWS_EXAMPLE, endpointField, REGION_FIELD } from '../aws/fields.ts'
import { ANY_REGION_PATTERN } from '../aws/region.ts'
import type { DestinationSettings, TypeDocument } from '../destination-type.ts'
import { lineIcon } from '../line-icon.ts'

const POLICY = {
  Effect: 'Allow',
  Action: 's3:PutObject',
  Resource: 'arn:aws:s3:::my-events/*',
}

/** Those that an object may be put with into a bucket that is named, not addressed by an ARN. */
const STORAGE_CLASSES = [
  'STANDARD',
  'INTELLIGENT_TIERING',
  'STANDARD_IA',
  'ONEZONE_IA',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
  'REDUCED_REDUNDANCY',
  'EXPRESS_ONEZONE',
]

/** What the API, the forms and the docs say about buckets of Amazon S3. */
export const CLOUD_A_STORAGE_DOCUMENT: TypeDocument = {
  type: 'cloud_a_storage',
  label: 'AWS S3',
  description: 'Writes each event as an object into a bucket of Amazon S3.',
  icon: lineIcon(
    '<ellipse cx="12" cy="6" rx="8" ry="3"/><path d="m4 6 2 12c.3 1.7 3 3 6 3s5.7-1.3 6-3l2-12M5 12c1.5 1.5 4 2 7 2s5.5-.5 7-2"/>',
  ),
  instructions: `# AWS S3

1. In the **Amazon S3** console open your bucket, or make one with **Create bucket**, and enter its name as **Bucket** and
   its **Region** here.
${accessKeySteps(POLICY)}
5. If the bucket is encrypted with a key of your own (SSE-KMS), the user also needs \`kms:GenerateDataKey\` on that key.
   For a directory bucket (S3 Express One Zone) the action is \`s3express:CreateSession\` on the bucket instead.

An object holds the data of one event, with the content type application/json and a SHA-256 checksum. The event's
metadata, with \`event-id\`, \`topic\` and \`timestamp\`, is the object's user metadata: keys in lower case, values beyond
ASCII as RFC 2047 has it. S3 takes 2 KiB of it; an event with more is not written, and its attempt says so.

The key is \`<time>_<event id>.json\` unless you give a **Key template**: a JMESPath expression over \`data\`, \`metadata\`
and \`time\`, such as

\`\`\`
join('', [time.year, '/', time.month, '/', time.day, '/', metadata."event-id", '.json'])
\`\`\`

\`time\` is the event's time in UTC and has \`year\`, \`month\`, \`day\`, \`hour\`, \`minute\`, \`second\`, \`date\`, \`datetime\`,
\`unix\` and \`rfc3339\`. A template may use paths, literals, \`||\`, \`join('…', […])\`, \`lower\`, \`upper\`, \`not_null\` and
\`to_string\`. When an event does not have what the template names, its key is as if there were none. Events for which
it makes the same key overwrite each other, so let the event's id be in it.

An event may be written more than once: its id stays the same, and so does its key.
`,
  config_fields: [
    {
      key: 'bucket',
      type: 'text',
      label: 'Bucket',
      description: 'The name of the bucket, without its ARN.',
      required: true,
      minlength: 3,
      maxlength: 63,
      pattern: '^[a-z0-9][a-z0-9.\\-]*[a-z0-9]$',
    },
    { ...REGION_FIELD, pattern: ANY_REGION_PATTERN },
    {
      key: 'key_template',
      type: 'text',
      label: 'Key template',
      description:
        'A JMESPath expression over data, metadata and time. Without it, <time>_<event id>.json.',
      required: false,
      minlength: 1,
      maxlength: 1024,
    },
    {
      key: 'storage_class',
      type: 'select',
      label: 'Storage class',
      description: 'How S3 keeps the objects. Without it, as the bucket is set up.',
      required: false,
      options: STORAGE_CLASSES.map((value) => ({ label: value, value })),
    },
    endpointField('S3'),
  ],
  credential_fields: AWS_CREDENTIAL_FIELDS,
}

export const CLOUD_A_STORAGE_EXAMPLE: DestinationSettings = {
  config: { bucket: 'my-events', region: 'eu-west-1' },
  credentials: AWS_EXAMPLE,
}
