import { timeFaults } from '@postrider/common'
import type { DestinationSettings } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { httpUrlFaults } from '../url-faults.ts'
import { customHeaderFaults, readCustomHeaders } from './custom-headers.ts'

const TIME_PATH = 'credentials.previous_secret_invalid_at'

export interface WebhookRules {
  readonly guard: AddressGuard
  readonly headerPrefix: string
  readonly httpsOnly: boolean
}

/** Faults of a webhook's settings that already fit its document. */
export function validateWebhook(
  { config, credentials }: DestinationSettings,
  { guard, headerPrefix, httpsOnly }: WebhookRules,
): readonly string[] {
  return [
    ...urlFaults(config['url'] ?? '', guard, httpsOnly),
    ...customHeaderFaults(readCustomHeaders(config), headerPrefix),
    ...timeFaults(TIME_PATH, credentials['previous_secret_invalid_at']),
  ]
}

function urlFaults(url: string, guard: AddressGuard, httpsOnly: boolean): readonly string[] {
  const faults = httpUrlFaults('config.url', url, guard)
  if (faults.length > 0 || !httpsOnly || new URL(url).protocol === 'https:') return faults
  return ['config.url must be an https URL']
}
