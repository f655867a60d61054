// Decoders that take exactly one spelling of each value. Were there two, a changed request could still
// pass, and a receiver that remembers signatures to refuse copies could be shown the other one.

/** Bytes of lower-case hexadecimal; null for anything else. */
export function decodeHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return null
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16)
  }
  return bytes
}

/** Bytes of base64 with its padding; null for anything else, also for bits that no byte needs. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null
  const binary = atob(text)
  if (btoa(binary) !== text) return null
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** Bytes of base64url without padding, as in a JWK; null for anything else. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
  return decodeBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, '='))
}
