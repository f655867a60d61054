/**
 * Whether a text is the key file of a service account. Files of other types (`external_account`,
 * `authorized_user`) name addresses to ask and programs to run: a tenant must not give one.
 */
export function isServiceAccount(text: string): boolean {
  const { type, client_email: email, private_key: key } = membersOf(text)
  return type === 'service_account' && isFilled(email) && isFilled(key)
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

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
