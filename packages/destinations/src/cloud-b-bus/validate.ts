import type { DestinationSettings } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { addressFaults } from '../url-faults.ts'
import { parseConnectionString } from './connection-string.ts'

const PATH = 'credentials.connection_string'

/** Faults of settings that already fit the document. */
export function validateCloudBBus(
  { config, credentials }: DestinationSettings,
  guard: AddressGuard,
): readonly string[] {
  const parsed = parseConnectionString(credentials['connection_string'] ?? '')
  if (parsed === null) {
    return [
      `${PATH} must have the form Endpoint=sb://<namespace>/;SharedAccessKeyName=…;SharedAccessKey=…`,
    ]
  }
  const faults = addressFaults(PATH, parsed.host.url, guard)
  if (parsed.entityPath !== null && parsed.entityPath !== config['name']) {
    faults.push(`${PATH} is for ${parsed.entityPath}, not for the queue or topic in config.name`)
  }
  return faults
}
