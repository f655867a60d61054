import { type HostPort, parseHostPort } from '../host-port.ts'

/** What a connection string of Azure Service Bus says; its key stays in the text. */
export interface ConnectionString {
  readonly host: HostPort
  /** The only queue or topic that it is for; null: all of the namespace. */
  readonly entityPath: string | null
}

const ENDPOINT = /^sb:\/\/([^/]+)\/?$/

/** Null: the text is no connection string, or has nothing to prove who is sending. */
export function parseConnectionString(text: string): ConnectionString | null {
  const parts = new Map(text.trim().split(';').map(keyAndValue))
  const [, authority = ''] = ENDPOINT.exec(parts.get('Endpoint') ?? '') ?? []
  const host = parseHostPort(authority)
  const hasKey = isGiven(parts, 'SharedAccessKeyName') && isGiven(parts, 'SharedAccessKey')
  if (host === null || !(hasKey || isGiven(parts, 'SharedAccessSignature'))) return null
  return { host, entityPath: parts.get('EntityPath') ?? null }
}

/** The value may hold `=` itself: keys and signatures do. */
function keyAndValue(part: string): [string, string] {
  const at = part.indexOf('=')
  return at === -1 ? [part.trim(), ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()]
}

function isGiven(parts: ReadonlyMap<string, string>, key: string): boolean {
  return (parts.get(key) ?? '') !== ''
}
