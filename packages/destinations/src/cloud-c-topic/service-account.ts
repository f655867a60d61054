/** What of a service account's key file we use: nothing that could lead us anywhere. */
export interface ServiceAccount {
  readonly email: string
  /** PEM. */
  readonly privateKey: string
  /** Tells Google which of the account's keys it is; null when the file does not name it. */
  readonly keyId: string | null
}

/**
 * A service account from its key file; null when the text is no such file. Files of other types
 * (`external_account`, `authorized_user`) name addresses to ask and programs to run, and the one type
 * that is taken has members such as `token_uri` and `universe_domain`: a tenant must not say where we
 * go, so none of them is read.
 */
export function parseServiceAccount(text: string): ServiceAccount | null {
  const { type, client_email: email, private_key: key, private_key_id: keyId } = membersOf(text)
  if (type !== 'service_account' || !isFilled(email) || !isFilled(key)) return null
  return { email, privateKey: key, keyId: isFilled(keyId) ? keyId : null }
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // No JSON has no members either.
    return {}
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
