const PREFIX = 'whsec_'
const MIN_BYTES = 24
const MAX_BYTES = 64

/**
 * The bytes that a secret stands for in Standard Webhooks: those of the base64 after `whsec_`.
 *
 * Another form can only be there from before the operator chose standard mode, when every text was a
 * secret. It stands for its own bytes, which the official libraries call a raw secret: so deliveries go
 * on, and their receivers can verify them, until the secret is rotated.
 */
export function standardSecretBytes(secret: string): Buffer {
  return decoded(secret) ?? Buffer.from(secret)
}

/** Whether a secret is such as Standard Webhooks asks for. */
export function isStandardSecret(secret: string): boolean {
  const length = decoded(secret)?.length ?? 0
  return length >= MIN_BYTES && length <= MAX_BYTES
}

/** What {@link isStandardSecret} asks for, as the end of a sentence about a field. */
export const STANDARD_SECRET_RULE = `must be whsec_ and the base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes`

function decoded(secret: string): Buffer | null {
  if (!secret.startsWith(PREFIX)) return null
  const base64 = secret.slice(PREFIX.length)
  const bytes = Buffer.from(base64, 'base64')
  // Node skips what is not base64, and takes it without padding; receivers' libraries do neither.
  return bytes.length > 0 && bytes.toString('base64') === base64 ? bytes : null
}
