import { parseUrl } from './parse-url.ts'

/** A host and a port as people write them: `mq.example.com:5671`, `10.0.0.7`, `[2001:db8::1]:5672`. */
export interface HostPort {
  /** `http://<host>`: all spellings of one address are one here, as the address guard wants it. */
  readonly url: URL
  /** Null: not given. */
  readonly port: number | null
}

const FORM = /^(\[[0-9A-Fa-f:.]+\]|[^\s:/?#@%[\]\\]+)(?::(\d{1,5}))?$/

/** Null: the text is not a host, or its port is not one. */
export function parseHostPort(text: string): HostPort | null {
  const [, host, digits] = FORM.exec(text) ?? []
  const url = host === undefined ? null : parseUrl(`http://${host}`)
  if (url === null) return null
  const port = digits === undefined ? null : Number(digits)
  if (port !== null && (port < 1 || port > 65_535)) return null
  return { url, port }
}
