import type { DestinationSettings } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { endpointFaults, httpUrlFaults } from '../url-faults.ts'
import { parseQueueUrl } from './queue-url.ts'

/** Faults of settings that already fit the document. */
export function validateCloudAQueue(
  { config }: DestinationSettings,
  guard: AddressGuard,
): readonly string[] {
  return [
    ...queueUrlFaults(config['queue_url'] ?? '', config['region'], guard),
    ...endpointFaults('config.endpoint', config['endpoint'], guard),
  ]
}

function queueUrlFaults(text: string, region: string | undefined, guard: AddressGuard): string[] {
  const faults = httpUrlFaults('config.queue_url', text, guard)
  if (faults.length > 0) return faults
  const queue = parseQueueUrl(text)
  if (queue === null) {
    return [
      'config.queue_url must be the URL of a queue, such as https://sqs.eu-west-1.amazonaws.com/123456789012/orders',
    ]
  }
  if (queue.region === null && region === undefined) {
    return ['config.region is required, because the queue URL names none']
  }
  return queue.isAtAws && queue.region !== null && region !== undefined && region !== queue.region
    ? [`config.region must be ${queue.region}, as in the queue URL, or left out`]
    : []
}
