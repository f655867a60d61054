import type { Config } from '@postrider/config'

/**
 * Whether tenants without a signing key get one. Where nobody signs, none are made, and those that are
 * there from before are still published and rotated: what they have signed may still be verified.
 */
export function makesKeys({ destinations }: Pick<Config, 'destinations'>): boolean {
  return destinations.webhook.signing === 'ed25519'
}
