import { parseHostPort } from '../host-port.ts'

/** Where a broker is: `host[:port][/vhost]`. */
export interface ServerUrl {
  /** `http://<host>`, in the one spelling that the address guard wants. */
  readonly hostUrl: URL
  /** Null: the default one, which depends on TLS. */
  readonly port: number | null
  readonly vhost: string
}

/** Null: the text is no such place. A vhost is percent-encoded, as in AMQP URIs; without one, it is `/`. */
export function parseServerUrl(text: string): ServerUrl | null {
  const slash = text.indexOf('/')
  const host = parseHostPort(slash === -1 ? text : text.slice(0, slash))
  const vhost = slash === -1 ? '' : decoded(text.slice(slash + 1))
  if (host === null || vhost === null) return null
  return { hostUrl: host.url, port: host.port, vhost: vhost === '' ? '/' : vhost }
}

/** Null: not percent-encoded, or longer than AMQP can say. A slash has to be encoded. */
function decoded(text: string): string | null {
  if (/[/?#\s]/.test(text)) return null
  try {
    const vhost = decodeURIComponent(text)
    return Buffer.byteLength(vhost) <= 255 ? vhost : null
  } catch {
    // A `%` that begins no character.
    return null
  }
}
