export interface WelcomeOptions {
  /** Where the API answers, without a trailing slash. */
  readonly url: string
  /**
   * Shown because it was made here and the user has no other way to know it; null when the user set
   * it, and then the steps take it from the environment.
   */
  readonly apiKey: string | null
  /** A topic that may be published. */
  readonly topic: string
  /** The mode of webhooks: which form a secret must have. */
  readonly mode: 'default' | 'standard'
  /** Destinations on this machine are let through, so that the steps can work. */
  readonly opensLoopback: boolean
  /** Webhooks without TLS are refused, as the one of the steps is. */
  readonly isHttpsOnly: boolean
}

/**
 * Known to everybody, so that the receiver can be given it before the destination is made. Good enough
 * for a receiver on this machine; whoever gives none gets one that nobody knows.
 */
const SECRETS = {
  default: 'first-delivery',
  standard: `whsec_${Buffer.from('the first delivery of all').toString('base64')}`,
}
const RECEIVER = 'http://127.0.0.1:4000/'

/**
 * What a start prints: where it answers, the key, and the steps of a first delivery, each to be copied
 * into a shell as it stands. They may be taken again after a later start: the destination has an id, so
 * that there is one of it.
 */
export function welcome(options: WelcomeOptions): string {
  const { url, apiKey, topic } = options
  const secret = SECRETS[options.mode]
  const call = (method: string, path: string, body?: unknown): string =>
    [
      `curl -sS -w '\\n' -X ${method} '${url}/api/v1${path}'`,
      `-H "Authorization: Bearer ${apiKey ?? '$API_KEY'}"`,
      ...(body === undefined
        ? []
        : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`]),
    ].join(' \\\n       ')
  return `
Postrider answers on ${url}
API key: ${apiKey ?? 'the one that you set in API_KEY'}

A first delivery:

  0. Let a receiver listen, in a second terminal in this directory; the other steps are for a third.

     npm run receiver -- --secret ${secret}

  1. Make a tenant.

     ${call('PUT', '/tenants/acme')}

  2. Make a destination for it. (Without credentials Postrider makes a secret and shows it.)

     ${call('POST', '/tenants/acme/destinations', {
       id: 'first',
       type: 'webhook',
       topics: ['*'],
       config: { url: RECEIVER },
       credentials: { secret },
     })}

  3. Publish an event: it arrives at the receiver, which verifies its signature.

     ${call('POST', '/publish', { tenant_id: 'acme', topic, data: { hello: 'world' } })}

  4. See what became of it.

     ${call('GET', '/attempts?tenant_id=acme')}

${options.opensLoopback ? LOOPBACK_OPEN : LOOPBACK_CLOSED}${options.isHttpsOnly ? HTTPS_ONLY : ''}Ctrl-C stops it; everything is kept for the next start.
`
}

const LOOPBACK_OPEN = `Destinations may be on this machine. In production they should not: DESTINATIONS_ALLOWED_NETWORKS= (set, but
empty) in the environment keeps them to public addresses.

`

const LOOPBACK_CLOSED = `Destinations on this machine are refused, as they should be in production. To take these steps, start
with DESTINATIONS_ALLOWED_NETWORKS=127.0.0.0/8 in the environment.

`

const HTTPS_ONLY = `Webhooks without TLS are refused. To take these steps, start without DESTINATIONS_WEBHOOK_HTTPS_ONLY.

`
