import { bytes, flag, integer, list, seconds, text } from '../kinds.ts'
import { accepted, type Parsed, quoted, refused } from '../setting.ts'

const LISTEN_DEFAULT = '`0.0.0.0`; `127.0.0.1` with embedded PostgreSQL'
const DAY_SECONDS = 24 * 60 * 60

/** A host to listen on; null: all interfaces, or loopback only with everything embedded. */
export function listenHost(name: string, line: string) {
  return text<string, null>({
    name,
    line,
    accepts: 'host name or address',
    fallback: null,
    defaultText: LISTEN_DEFAULT,
    parse: (host) =>
      /^[A-Za-z0-9._:-]{1,253}$/.test(host)
        ? accepted(host)
        : refused(`must be a host name or an address, not ${quoted(host)}`),
  })
}

export const apiSettings = {
  host: listenHost('API_HOST', 'Where the HTTP API listens'),
  port: integer({
    name: 'API_PORT',
    line: 'The port of the HTTP API; 0 takes a free one',
    fallback: 3333,
    min: 0,
    max: 65535,
  }),
  maxRequestBodyBytes: bytes({
    name: 'MAX_REQUEST_BODY_BYTES',
    line: 'The largest request body; a compressed one counts inflated',
    fallback: 1024 ** 2,
    min: 1024,
    max: 64 * 1024 ** 2,
  }),
  maxEventDataBytes: bytes({
    name: 'MAX_EVENT_DATA_BYTES',
    line: 'The largest `data` of an event',
    fallback: 256 * 1024,
    min: 2,
    max: 16 * 1024 ** 2,
  }),
  publishIdempotencyWindowMs: seconds({
    name: 'PUBLISH_IDEMPOTENCY_WINDOW_SECONDS',
    line: 'How long the id of an event keeps a second publish from making a second event',
    fallback: DAY_SECONDS,
    min: 1,
    max: 365 * DAY_SECONDS,
  }),
  topics: list({
    name: 'TOPICS',
    line: 'The topics that may be published and subscribed to; without it, any may',
    accepts: '1 to 255 visible ASCII characters without `*`',
    fallback: [],
    mayRepeat: false,
    parseEntry: parseTopic,
  }),
  topicsAllowWildcards: flag({
    name: 'TOPICS_ALLOW_WILDCARDS',
    line: 'A `*` inside the topic of a destination stands for any run of characters',
    fallback: false,
  }),
  maxDestinationsPerTenant: integer({
    name: 'MAX_DESTINATIONS_PER_TENANT',
    line: 'How many destinations a tenant may have',
    fallback: 20,
    min: 1,
    max: 10_000,
  }),
} as const

function parseTopic(topic: string): Parsed<string> {
  return /^[\x21-\x7e]{1,255}$/.test(topic) && !topic.includes('*')
    ? accepted(topic)
    : refused(
        `must hold topics of 1 to 255 visible ASCII characters without *, not ${quoted(topic)}`,
      )
}
