import { list, text } from '../kinds.ts'
import { accepted, type Parsed, refused } from '../setting.ts'

/** Problems of secrets never repeat their values. */
export const secretSettings = {
  apiKeys: list({
    name: 'API_KEY',
    line: 'The admin’s key; several while one is being rotated out',
    accepts: 'at least 16 visible ASCII characters',
    fallback: [],
    mayRepeat: false,
    parseEntry: (key) =>
      /^[\x21-\x7e]{16,}$/.test(key)
        ? accepted(key)
        : refused('must have at least 16 characters, all of them visible ASCII'),
  }),
  jwtSecret: text<string, null>({
    name: 'API_JWT_SECRET',
    line: 'Signs the tokens of tenants',
    accepts: 'at least 32 characters',
    fallback: null,
    parse: longSecret,
  }),
  encryptionSecrets: list({
    name: 'AES_ENCRYPTION_SECRET',
    line: 'Encrypts the credentials of destinations: the first encrypts, all decrypt',
    accepts: 'at least 32 characters',
    fallback: [],
    mayRepeat: false,
    parseEntry: longSecret,
  }),
} as const

function longSecret(secret: string): Parsed<string> {
  return secret.length >= 32 ? accepted(secret) : refused('must have at least 32 characters')
}
