import type { DeliveryDestination } from '@postrider/common'
import type { WebhookSettings } from './settings.ts'
import type { SignedMessage } from './signed-message.ts'
import { createStandardSigner } from './standard-signer.ts'
import { createTemplateSigner } from './template-signer.ts'

/** How the requests of one mode are signed. */
export interface Signer {
  /**
   * What signs the requests to one version of a destination: its keys are imported here, once.
   *
   * @throws {Error} When it has no secret that could sign
   */
  prepare(destination: DeliveryDestination): SignatureWriter
}

/**
 * Writes the value of the signature header.
 *
 * @throws {Error} When a key that is ours to supply is missing
 */
export type SignatureWriter = (message: SignedMessage) => string

/**
 * The signer that the settings ask for.
 *
 * @throws {SignatureSettingsError} When a template cannot be: a deliverer must not start and sign
 *   otherwise than its operator believes
 */
export function createSigner(settings: WebhookSettings): Signer {
  return settings.mode === 'standard'
    ? createStandardSigner(settings)
    : createTemplateSigner(settings)
}
