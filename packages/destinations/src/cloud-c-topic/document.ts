import type { DestinationSettings, TypeDocument } from '../destination-type.ts'
import { lineIcon } from '../line-icon.ts'

/** What the API, the forms and the docs say about topics of Google Cloud Pub/Sub. */
export const CLOUD_C_TOPIC_DOCUMENT: TypeDocument = {
  type: 'cloud_c_topic',
  label: 'GCP Pub/Sub',
  description: 'Publishes each event as a message to a topic of Google Cloud Pub/Sub.',
  icon: lineIcon(
    '<circle cx="12" cy="12" r="2.5"/><circle cx="12" cy="4" r="1.5"/><circle cx="5" cy="16" r="1.5"/><circle cx="19" cy="16" r="1.5"/><path d="M12 9.5v-4M9.8 13.3l-3.5 2M14.2 13.3l3.5 2"/>',
  ),
  instructions: `# GCP Pub/Sub

1. In the **Google Cloud console** open **Pub/Sub**, then **Topics**; open your topic, or make one with **Create topic**.
   Enter the topic's name without \`projects/…\` as **Topic** and the ID of its project as **Project ID** here.
2. Open **IAM & Admin**, then **Service Accounts**, and choose **Create service account**. It needs no role in the project.
3. Back at the topic, open **Permissions**, choose **Add principal**, enter the service account's address, and give it the
   role **Pub/Sub Publisher** (\`roles/pubsub.publisher\`): on this one topic it is all that is needed.
4. Open the service account's **Keys**, choose **Add key**, **Create new key**, **JSON**, and paste the content of the file
   that you get as **Service account JSON** here.

The data of a message is the data of the event. Its attributes are the event's metadata, with \`event-id\`, \`topic\` and
\`timestamp\`. Pub/Sub takes at most 100 attributes with values of at most 1024 bytes: an event with more is a failure.

An event may arrive more than once: its id stays the same.
`,
  config_fields: [
    {
      key: 'project_id',
      type: 'text',
      label: 'Project ID',
      description: 'The ID of the project, such as my-project-123; not its name or number.',
      required: true,
      maxlength: 128,
      pattern: '^(?:[a-z0-9.\\-]+:)?[a-z][a-z0-9\\-]*[a-z0-9]$',
    },
    {
      key: 'topic',
      type: 'text',
      label: 'Topic',
      description: 'The name of the topic, without projects/…/topics/.',
      required: true,
      minlength: 3,
      maxlength: 255,
      pattern: '^(?!goog)[A-Za-z][A-Za-z0-9._~%+\\-]*$',
    },
    {
      key: 'endpoint',
      type: 'text',
      label: 'Endpoint',
      description:
        'host:port of another service that speaks the protocol of Pub/Sub, such as its emulator. With https:// before it, or outside of the networks that the operator of this service allows, it is spoken to with TLS. Leave empty for Google.',
      required: false,
      minlength: 1,
      maxlength: 512,
    },
  ],
  credential_fields: [
    {
      key: 'service_account_json',
      type: 'text',
      label: 'Service account JSON',
      description:
        'The key file of a service account that may publish to the topic. Not needed with an endpoint that the operator of this service allows.',
      // Validation asks for it unless there is such an endpoint.
      required: false,
      sensitive: true,
      maxlength: 16_384,
    },
  ],
}

export const CLOUD_C_TOPIC_EXAMPLE: DestinationSettings = {
  config: { project_id: 'acme-prod', topic: 'orders' },
  credentials: {
    service_account_json: JSON.stringify({
      type: 'service_account',
      client_email: 'events@acme-prod.iam.gserviceaccount.com',
      private_key: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
    }),
  },
}
