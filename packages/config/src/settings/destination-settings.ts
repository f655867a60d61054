import { isIP } from 'node:net'
import { bytes, choice, flag, list, text } from '../kinds.ts'
import { accepted, type Parsed, quoted, refused } from '../setting.ts'

/** The documented defaults; unset or like this, the default wire format is sent. */
const DEFAULT_CONTENT_TEMPLATE = '{{.Body}}'
const DEFAULT_HEADER_TEMPLATE = 'v0={{.Signatures | join ","}}'

export const destinationSettings = {
  allowedNetworks: list({
    name: 'DESTINATIONS_ALLOWED_NETWORKS',
    line: 'Networks that destinations may lie in although they are not public; set but empty, none',
    accepts: 'CIDRs',
    fallback: null,
    defaultText: 'none; loopback with embedded PostgreSQL',
    emptyIsValue: true,
    parseEntry: parseCidr,
  }),
  metadataPath: path(
    'DESTINATIONS_METADATA_PATH',
    'A directory with texts of your own: `<type>/metadata.json` and `<type>/instructions.md`',
  ),
  userAgent: text<string, null>({
    name: 'HTTP_USER_AGENT',
    line: 'The `User-Agent` of what is sent to destinations',
    accepts: 'up to 256 visible ASCII characters and spaces',
    fallback: null,
    defaultText: '`postrider/<version>`',
    parse: (agent) =>
      /^[\x20-\x7e]{1,256}$/.test(agent)
        ? accepted(agent)
        : refused('must have up to 256 characters, all of them visible ASCII or spaces'),
  }),
  mode: choice({
    name: 'DESTINATIONS_WEBHOOK_MODE',
    line: '`standard` follows the [Standard Webhooks](https://www.standardwebhooks.com) specification',
    values: ['default', 'standard'],
    fallback: 'default',
  }),
  headerPrefix: text<string, null>({
    name: 'DESTINATIONS_WEBHOOK_HEADER_PREFIX',
    line: 'What the names of all webhook headers begin with',
    accepts: 'a letter or digit, then letters, digits, `_` and `-`; up to 64',
    fallback: null,
    defaultText: '`x-service-`; `webhook-` in standard mode',
    parse: parsePrefix,
  }),
  disableEventIdHeader: disableHeader('EVENT_ID', 'event id'),
  disableTimestampHeader: disableHeader('TIMESTAMP', 'timestamp'),
  disableTopicHeader: disableHeader('TOPIC', 'topic'),
  disableSignatureHeader: disableHeader('SIGNATURE', 'signature'),
  signatureAlgorithm: choice({
    name: 'DESTINATIONS_WEBHOOK_SIGNATURE_ALGORITHM',
    line: 'How webhooks are signed; `hmac-sha1` only for receivers that know nothing better',
    values: ['hmac-sha256', 'hmac-sha1', 'hmac-sha512'],
    fallback: 'hmac-sha256',
  }),
  signatureEncoding: choice({
    name: 'DESTINATIONS_WEBHOOK_SIGNATURE_ENCODING',
    line: 'How the bytes of a signature are written',
    values: ['hex', 'base64'],
    fallback: 'hex',
  }),
  signatureContentTemplate: template(
    'DESTINATIONS_WEBHOOK_SIGNATURE_CONTENT_TEMPLATE',
    'What is signed; with both templates as they are by default, `<timestamp>.<body>`',
    DEFAULT_CONTENT_TEMPLATE,
  ),
  signatureHeaderTemplate: template(
    'DESTINATIONS_WEBHOOK_SIGNATURE_HEADER_TEMPLATE',
    'The value of the signature header; with both templates as they are by default, `t=<timestamp>,v0=<signatures>`',
    DEFAULT_HEADER_TEMPLATE,
  ),
  timestampSource: choice<'event' | 'attempt', null>({
    name: 'DESTINATIONS_WEBHOOK_TIMESTAMP_SOURCE',
    line: 'The time that is sent and signed: that of the event, or that of the attempt',
    values: ['event', 'attempt'],
    fallback: null,
    defaultText: '`event`; `attempt` in standard mode',
  }),
  signing: choice({
    name: 'DESTINATIONS_WEBHOOK_SIGNING',
    line: '`ed25519` adds a signature that receivers verify with the public keys of their tenant; standard mode only',
    values: ['hmac', 'ed25519'],
    fallback: 'hmac',
  }),
  httpsOnly: flag({
    name: 'DESTINATIONS_WEBHOOK_HTTPS_ONLY',
    line: 'Refuses webhooks without TLS: new ones when they are written, old ones when they are sent to',
    fallback: false,
  }),
  minTlsVersion: choice({
    name: 'DESTINATIONS_WEBHOOK_MIN_TLS_VERSION',
    line: 'The oldest version of TLS that receivers may speak',
    values: ['1.2', '1.3'],
    fallback: '1.2',
  }),
  extraCaFile: path(
    'DESTINATIONS_WEBHOOK_EXTRA_CA_FILE',
    'A file of PEM certificates that are trusted besides those that come with Node',
  ),
  proxyUrl: text<string, null>({
    name: 'DESTINATIONS_WEBHOOK_PROXY_URL',
    line: 'The forward proxy (CONNECT) that webhooks go through; it is asked for judged addresses, never for names',
    accepts: 'http or https URL, with user name and password if the proxy wants them',
    fallback: null,
    defaultText: 'none',
    parse: parseProxyUrl,
  }),
  maxResponseBodyBytes: bytes({
    name: 'DESTINATIONS_WEBHOOK_MAX_RESPONSE_BODY_BYTES',
    line: 'How much of a receiver’s answer is read and kept',
    fallback: 128 * 1024,
    min: 0,
    max: 1024 ** 2,
  }),
  relayUrl: text({
    name: 'DESTINATIONS_RELAY_URL',
    line: 'Where the event gateway of type `relay` takes events; `{id}` stands for the id of the source',
    accepts: 'http or https URL with `{id}`',
    fallback: 'https://hkdk.events/{id}',
    parse: parseRelayUrl,
  }),
  relayVerifyUrl: text<string, null>({
    name: 'DESTINATIONS_RELAY_VERIFY_URL',
    line: 'Where the event gateway is asked whether a token is good when a relay is made; `{id}` stands for the id of the source',
    accepts: 'http or https URL with `{id}`',
    fallback: null,
    defaultText: 'none: only the form of a token is checked',
    parse: parseRelayUrl,
  }),
  kinesisMetadataInPayload: flag({
    name: 'DESTINATIONS_AWS_KINESIS_METADATA_IN_PAYLOAD',
    line: 'Records of Kinesis are `{"metadata": …, "data": …}`; false: the bare data',
    fallback: true,
  }),
  enableWebhookCustomHeaders: flag({
    name: 'PORTAL_ENABLE_WEBHOOK_CUSTOM_HEADERS',
    line: 'Shows custom headers in the tenant portal',
    fallback: false,
  }),
} as const

function disableHeader(variable: string, header: string) {
  return flag({
    name: `DESTINATIONS_WEBHOOK_DISABLE_${variable}_HEADER`,
    line: `Leaves the ${header} header out`,
    fallback: false,
  })
}

function path(name: string, line: string) {
  return text<string, null>({
    name,
    line,
    accepts: 'path',
    fallback: null,
    defaultText: 'none',
    parse: (value) =>
      value.includes('\0') ? refused('must be a path, without NUL') : accepted(value),
  })
}

function template(name: string, line: string, fallback: string) {
  return text<string, string>({
    name,
    line,
    accepts: '[template](webhook-settings.md#templates)',
    fallback,
    // Whether it can be used is for the signer to say, who compiles it.
    parse: accepted,
  })
}

/** The problem never repeats the URL: it may hold a password. */
function parseProxyUrl(value: string): Parsed<string> {
  const url = URL.canParse(value) ? new URL(value) : null
  if (!/^https?:\/\//i.test(value)) {
    return refused('must be a URL that begins with http:// or https://')
  }
  if (url === null || !isDecodable(url.username) || !isDecodable(url.password)) {
    return refused('must be a URL; in a password, / ? # @ : and % must be percent-encoded')
  }
  return url.pathname === '/' && url.search === '' && url.hash === ''
    ? accepted(value)
    : refused('must have nothing after the host and port')
}

/** A lone % stays in a URL as it is, and stands for nothing. */
function isDecodable(percentEncoded: string): boolean {
  try {
    decodeURIComponent(percentEncoded)
    return true
  } catch {
    return false
  }
}

function parseRelayUrl(value: string): Parsed<string> {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return refused(`must be an http or https URL, not ${quoted(value)}`)
  }
  if (url.username !== '' || url.password !== '') {
    return refused('must not contain a user name or password')
  }
  // In the host it would let a tenant choose where events go.
  return value.includes('{id}') && !url.host.includes('{id}')
    ? accepted(value)
    : refused(`must have {id} in its path or query, not ${quoted(value)}`)
}

function parseCidr(entry: string): Parsed<string> {
  const [address = '', prefix = ''] = entry.split('/')
  const family = address.includes('%') ? 0 : isIP(address)
  const bits = family === 4 ? 32 : 128
  return family !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits && !/\/.*\//.test(entry)
    ? accepted(entry)
    : refused(`must hold CIDRs such as 10.0.0.0/8 or fd00::/8, not ${quoted(entry)}`)
}

/** Headers that a metadata key must not be able to make together with the prefix. */
const SYSTEM_HEADERS = [
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]

function parsePrefix(value: string): Parsed<string> {
  const prefix = value.toLowerCase()
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(prefix)) {
    return refused(
      `must be a letter or digit, then up to 63 letters, digits, "_" and "-", not ${quoted(value)}`,
    )
  }
  const clash = SYSTEM_HEADERS.find(
    (name) => name.startsWith(prefix) || (name.endsWith('-') && prefix.startsWith(name)),
  )
  return clash === undefined
    ? accepted(prefix)
    : refused(`must not be the beginning of a header such as ${clash}, not ${quoted(value)}`)
}
