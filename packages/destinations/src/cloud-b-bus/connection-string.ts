import { type HostPort, parseHostPort } from '../host-port.ts'

/** What proves to Service Bus who is sending: a key that signs tokens, or a token signed already. */
export type BusCredential =
  { readonly name: string; readonly key: string } | { readonly signature: string }

/** What a connection string of Azure Service Bus says. */
export interface ConnectionString {
  readonly host: HostPort
  readonly credential: BusCredential
  /** The only queue or topic that it is for; null: all of the namespace. */
  readonly entityPath: string | null
  /** Without TLS, as Azure's emulator wants it. */
  readonly isPlain: boolean
}

const ENDPOINT = /^sb:\/\/([^/]+)\/?$/

/** Null: the text is no connection string, or has nothing to prove who is sending. */
export function parseConnectionString(text: string): ConnectionString | null {
  const parts = new Map(text.trim().split(';').map(keyAndValue))
  const [, authority = ''] = ENDPOINT.exec(parts.get('Endpoint') ?? '') ?? []
  const host = parseHostPort(authority)
  const credential = credentialOf(parts)
  if (host === null || credential === null) return null
  return {
    host,
    credential,
    entityPath: parts.get('EntityPath') ?? null,
    isPlain: parts.get('UseDevelopmentEmulator') === 'true',
  }
}

/** The value may hold `=` itself: keys and signatures do. */
function keyAndValue(part: string): [string, string] {
  const at = part.indexOf('=')
  return at === -1 ? [part.trim(), ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()]
}

function credentialOf(parts: ReadonlyMap<string, string>): BusCredential | null {
  const signature = parts.get('SharedAccessSignature') ?? ''
  if (signature !== '') return { signature }
  const name = parts.get('SharedAccessKeyName') ?? ''
  const key = parts.get('SharedAccessKey') ?? ''
  return name === '' || key === '' ? null : { name, key }
}
