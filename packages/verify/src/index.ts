export { createVerifier, type SignedWebhook, type VerifierOptions } from './default-mode.ts'
export type { PublicJwk, PublicJwks, PublicKey } from './public-key.ts'
export type { WebhookHeaders } from './request-headers.ts'
export {
  createStandardVerifier,
  type SignedStandardWebhook,
  type StandardVerifierOptions,
} from './standard-mode.ts'
export { VerificationError, type VerificationErrorCode } from './verification-error.ts'
export type { Verifier, WebhookRequest } from './verifier.ts'
