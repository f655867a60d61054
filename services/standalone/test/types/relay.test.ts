import { type Answer, type ReceivedRequest, startReceiver } from '@postrider/testkit'
import { type Arrived, describeTypeFlow, type FailureCase, type TypeServers } from './type-flow.ts'

/** What the gateway does for each source; for others it is well. */
const TROUBLES: Readonly<Record<string, Answer>> = {
  src_unknown: { status: 404 },
  src_refused: { status: 401 },
  src_busy: { status: 429 },
  src_broken: { status: 500 },
  src_silent: { fault: 'hang' },
  src_cut: { fault: 'reset' },
}

const tokenOf = (source: string): string => Buffer.from(`${source}:key`).toString('base64')

describeTypeFlow('relay', async (): Promise<TypeServers> => {
  const gateway = await startReceiver({
    answer: ({ path }) => TROUBLES[path.slice(1)] ?? { status: 202 },
  })
  return {
    env: { DESTINATIONS_RELAY_URL: `${gateway.url}/{id}` },
    settings: { credentials: { token: tokenOf('src_1') } },
    arrived: async (count) => (await gateway.waitFor(count)).map(arrivedOf),
    properties: () => ({ path: '/src_1', contentType: 'application/json' }),
    failures: [
      failure('the source is missing', '404', 'src_unknown'),
      failure('the token is wrong', '401', 'src_refused'),
      failure('the gateway has too much to do', '429', 'src_busy'),
      failure('the gateway has failed', '500', 'src_broken'),
      failure('the gateway is silent', 'timeout', 'src_silent'),
      failure('the connection breaks', 'connection_reset', 'src_cut'),
    ],
    wrong: { settings: { credentials: { token: tokenOf('src_refused') } }, code: '401' },
    [Symbol.asyncDispose]: async () => gateway.stop(),
  }
})

function failure(when: string, code: string, source: string): FailureCase {
  return { when, code, settings: { credentials: { token: tokenOf(source) } } }
}

/** By the names that the other types have for what is in the headers here. */
function arrivedOf({ body, path, headers }: ReceivedRequest): Arrived {
  const header = (name: string): string => String(headers[name])
  return {
    body,
    metadata: {
      'event-id': header('x-service-id'),
      topic: header('x-service-topic'),
      timestamp: header('x-service-timestamp'),
      team: header('x-service-team'),
      source: header('x-service-source'),
      city: decodeURIComponent(header('x-service-city')),
    },
    properties: { path, contentType: header('content-type') },
  }
}
