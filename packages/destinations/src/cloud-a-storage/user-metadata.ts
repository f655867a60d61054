import type { StringMap } from '@postrider/common'
import { encodedWords } from './encoded-words.ts'

/** What S3 takes of keys and values together. */
export const MAX_USER_METADATA_BYTES = 2048

const PLAIN = /^(?! )[ -~]*(?<! )$/

/**
 * Metadata as it travels in headers: keys in lower case, of those that become one the last; values that
 * are no plain ASCII as RFC 2047 has it, which S3 undoes.
 */
export function userMetadata(metadata: StringMap): Record<string, string> {
  const entries = Object.entries(metadata)
  return Object.fromEntries(entries.map(([key, value]) => [key.toLowerCase(), headerValue(value)]))
}

/** What S3 counts at least: it may count a value as it travels. */
export function userMetadataBytes(metadata: StringMap): number {
  return Buffer.byteLength(Object.entries(metadata).flat().join(''))
}

function headerValue(value: string): string {
  // What looks like an encoded word would be decoded.
  return PLAIN.test(value) && !value.includes('=?') ? value : encodedWords(value)
}
