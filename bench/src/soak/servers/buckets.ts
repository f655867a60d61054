import { startAwsServer } from '@postrider/testkit'
import type { Ledger } from '../ledger.ts'
import type { TypeServer } from '../type-server.ts'
import { ACCESS_KEY, REGION } from './aws-access.ts'
import { startAwsFront } from './aws-front.ts'
import type { AwsProtocol } from './fronted-call.ts'

const BUCKET = 'soak'

const PROTOCOL: AwsProtocol = {
  refusals: [
    { name: 'SlowDown', status: 503, code: 'throttled' },
    { name: 'AccessDenied', status: 403, code: 'access_denied' },
    { name: 'NoSuchBucket', status: 404, code: 'bucket_not_found' },
    { name: 'InternalError', status: 500, code: 'service_error' },
  ],
  read({ path, headers, body }) {
    // `/<bucket>/<destination>/<event>.json`
    const [, , placeId = ''] = path.split(/[/?]/)
    return { placeId, messages: [{ eventId: String(headers['x-amz-meta-event-id']), data: body }] }
  },
  refuse: ({ name, status }) => ({
    status,
    headers: { 'content-type': 'application/xml', 'x-amz-request-id': 'a-refusal' },
    body: Buffer.from(
      `<?xml version="1.0"?><Error><Code>${name}</Code><Message>as the soak wants it</Message></Error>`,
    ),
  }),
  without: () => null,
  join: (answer) => answer,
  taken: ({ status }) => [status === 200],
}

/** One bucket of S3, with a prefix for each destination. */
export async function startBuckets(ledger: Ledger): Promise<TypeServer> {
  const server = await startAwsServer()
  server.createBucket(BUCKET)
  const front = await startAwsFront(server.url, PROTOCOL, ledger)
  const ids: string[] = []
  return {
    type: 'cloud_a_storage',
    seesTries: true,
    async add(place) {
      front.add(place)
      ids.push(place.id)
      const key_template = `join('', ['${place.id}/', metadata."event-id", '.json'])`
      return {
        config: { bucket: BUCKET, region: REGION, endpoint: front.url, key_template },
        credentials: ACCESS_KEY,
      }
    },
    async drain() {
      for (const id of ids) {
        const held = await objectsUnder(server.url, `${id}/`)
        // An event that comes again overwrites its object.
        if (held !== ledger.had(id)) {
          ledger.surprise(`prefix ${id} has ${held} objects for ${ledger.had(id)} events`)
        }
      }
    },
    async stop() {
      await front.stop()
      await server.stop()
    },
  }
}

async function objectsUnder(serverUrl: string, prefix: string): Promise<number> {
  let count = 0
  let after = ''
  for (;;) {
    const query = String(new URLSearchParams({ 'list-type': '2', prefix, 'start-after': after }))
    const text = await (await fetch(`${serverUrl}/${BUCKET}?${query}`)).text()
    const keys = [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key)
    count += keys.length
    after = keys.at(-1) ?? ''
    if (!text.includes('<IsTruncated>true')) return count
  }
}
