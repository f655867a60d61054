import { startAwsServer } from '@postrider/testkit'
import type { Ledger } from '../ledger.ts'
import type { TypeServer } from '../type-server.ts'
import { ACCESS_KEY, REGION } from './aws-access.ts'
import { forward } from './aws-call.ts'
import { startAwsFront } from './aws-front.ts'
import type { AwsProtocol } from './fronted-call.ts'
import { jsonRefusal, parsed, withBody } from './json-protocol.ts'

interface SendBatch {
  readonly QueueUrl: string
  readonly Entries: readonly {
    readonly Id: string
    readonly MessageBody: string
    readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>
  }[]
}

interface BatchAnswer {
  readonly Successful?: readonly { readonly Id: string }[]
  readonly Failed?: readonly unknown[]
}

const PROTOCOL: AwsProtocol = {
  refusals: [
    { name: 'ThrottlingException', status: 400, code: 'throttled' },
    { name: 'AccessDeniedException', status: 403, code: 'access_denied' },
    { name: 'ServiceUnavailable', status: 503, code: 'service_error' },
  ],
  read(call) {
    const { QueueUrl, Entries } = parsed(call) as SendBatch
    const messages = Entries.map(({ MessageBody, MessageAttributes }) => ({
      eventId: MessageAttributes?.['event-id']?.StringValue ?? '',
      data: Buffer.from(MessageBody),
    }))
    return { placeId: QueueUrl.split('/').at(-1) ?? '', messages }
  },
  refuse: jsonRefusal,
  without(call, refused) {
    const batch = parsed(call) as SendBatch
    // Their ids stay, by which the answer names them.
    return withBody(call, { ...batch, Entries: batch.Entries.filter((_, i) => !refused.has(i)) })
  },
  join(answer, refused, { name: Code }) {
    const joined = parsed(answer) as BatchAnswer
    const failed = [...refused].map((i) => ({ Id: String(i), Code, SenderFault: false }))
    return withBody(answer, { ...joined, Failed: [...(joined.Failed ?? []), ...failed] })
  },
  taken(answer, { messages }) {
    const { Successful = [] } = answer.status === 200 ? (parsed(answer) as BatchAnswer) : {}
    return messages.map((_, i) => i < Successful.length)
  },
}

/** Queues of SQS, one for each destination. */
export async function startQueues(ledger: Ledger): Promise<TypeServer> {
  const server = await startAwsServer()
  const front = await startAwsFront(server.url, PROTOCOL, ledger)
  const urls = new Map<string, string>()
  return {
    type: 'cloud_a_queue',
    seesTries: true,
    async add(place) {
      front.add(place)
      const queue_url = server.createQueue(place.id, REGION)
      urls.set(place.id, queue_url)
      return {
        config: { queue_url, region: REGION, endpoint: front.url },
        credentials: ACCESS_KEY,
      }
    },
    async drain() {
      for (const [id, url] of urls) {
        const held = await messagesIn(server.url, url)
        if (held !== ledger.taken(id)) {
          ledger.surprise(`queue ${id} has ${held} messages, and took ${ledger.taken(id)}`)
        }
      }
    },
    async stop() {
      await front.stop()
      await server.stop()
    },
  }
}

/** The server asks nobody to sign. */
async function messagesIn(serverUrl: string, QueueUrl: string): Promise<number> {
  const answer = await forward(serverUrl, {
    method: 'POST',
    path: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.GetQueueAttributes',
    },
    body: Buffer.from(
      JSON.stringify({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
    ),
  })
  const { Attributes } = parsed(answer) as {
    readonly Attributes: Readonly<Record<string, string>>
  }
  return Number(Attributes['ApproximateNumberOfMessages'])
}
