import { type HostPort, parseHostPort } from '../host-port.ts'

/** Where a service is that speaks the protocol of Pub/Sub. */
export interface Endpoint {
  readonly host: HostPort
  /** Spoken to with TLS wherever it is: by its scheme, or because it is Google's. */
  readonly needsTls: boolean
}

const FORM = /^(?:(https?):\/\/)?([^/]*)\/?$/

/** Null: the text is not `host`, `host:port`, or either as a URL without a path. */
export function parseEndpoint(text: string): Endpoint | null {
  const [, scheme, authority = ''] = FORM.exec(text) ?? []
  const host = parseHostPort(authority)
  if (host === null) return null
  return { host, needsTls: scheme === 'https' || isGoogles(host) }
}

/** Whether a host is one of Google's APIs. */
export function isGoogles({ url }: HostPort): boolean {
  return /(?:^|\.)googleapis\.com$/.test(url.hostname)
}
