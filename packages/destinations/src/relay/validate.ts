import type { DestinationSettings } from '../destination-type.ts'
import { parseToken } from './token.ts'

/** Faults of settings that already fit the document. */
export function validateRelay({ credentials }: DestinationSettings): readonly string[] {
  return parseToken(credentials['token'] ?? '') === null
    ? ['credentials.token must be base64 of <source id>:<key>']
    : []
}
