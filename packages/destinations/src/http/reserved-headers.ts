/** The first five are never a tenant's to set; the others would break the framing of the request. */
const HTTP_NAMES: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'host',
  'connection',
  'user-agent',
  'transfer-encoding',
  'expect',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
])

/**
 * Whether a header, by its name in lower case, is the service's own and nobody else's. The names of
 * system headers stay reserved when they are switched off: a receiver must never take for the
 * service's what is not.
 */
export function isReservedHeader(name: string, headerPrefix: string): boolean {
  return (
    HTTP_NAMES.has(name) ||
    name.startsWith('proxy-') ||
    (name.startsWith(headerPrefix) && SYSTEM_KEYS.has(name.slice(headerPrefix.length)))
  )
}

const SYSTEM_KEYS: ReadonlySet<string> = new Set(['id', 'timestamp', 'topic', 'signature'])
