import { isAwsRegion } from '../aws/region.ts'
import type { DestinationSettings } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import type { TemplateRoots } from '../templates/check-expression.ts'
import { templateFaults } from '../templates/template.ts'
import { endpointFaults } from '../url-faults.ts'

/** What the key of an object may be made of. */
export const KEY_ROOTS: TemplateRoots = {
  data: null,
  metadata: null,
  time: ['year', 'month', 'day', 'hour', 'minute', 'second', 'date', 'datetime', 'unix', 'rfc3339'],
}

const FOUR_NUMBERS = /^\d+\.\d+\.\d+\.\d+$/

/** Faults of settings that already fit the document. */
export function validateCloudAStorage(
  { config }: DestinationSettings,
  guard: AddressGuard,
): readonly string[] {
  const { bucket = '', region = '', key_template: template, endpoint } = config
  return [
    ...(bucket.includes('..') || bucket.startsWith('xn--') || FOUR_NUMBERS.test(bucket)
      ? [
          'config.bucket must not begin with xn--, have two dots in a row or look like an IP address',
        ]
      : []),
    // Other services have regions of their own, such as "auto".
    ...(endpoint === undefined && !isAwsRegion(region)
      ? ['config.region must be an AWS region, such as eu-west-1']
      : []),
    ...templateFaults('config.key_template', template, KEY_ROOTS),
    ...endpointFaults('config.endpoint', endpoint, guard),
  ]
}
