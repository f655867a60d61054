import type { DestinationSettings } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import type { TemplateRoots } from '../templates/check-expression.ts'
import { templateFaults } from '../templates/template.ts'
import { endpointFaults } from '../url-faults.ts'

/** What a partition key may be made of. */
export const PARTITION_KEY_ROOTS: TemplateRoots = { metadata: null, data: null }

/** Faults of settings that already fit the document. */
export function validateCloudAStream(
  { config }: DestinationSettings,
  guard: AddressGuard,
): readonly string[] {
  return [
    ...templateFaults(
      'config.partition_key_template',
      config['partition_key_template'],
      PARTITION_KEY_ROOTS,
    ),
    ...endpointFaults('config.endpoint', config['endpoint'], guard),
  ]
}
