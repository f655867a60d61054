import type { DestinationSettings } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { addressFaults } from '../url-faults.ts'
import { parseServerUrl } from './server-url.ts'

/** AMQP's short strings count bytes. */
const MAX_BYTES = 255

/** Faults of settings that already fit the document. */
export function validateBrokerQueue(
  { config, credentials }: DestinationSettings,
  guard: AddressGuard,
): readonly string[] {
  return [
    ...serverFaults(config['server_url'] ?? '', guard),
    ...lengthFaults('config.exchange', config['exchange']),
    ...lengthFaults('config.routing_key', config['routing_key']),
    ...lengthFaults('credentials.username', credentials['username']),
  ]
}

function serverFaults(text: string, guard: AddressGuard): string[] {
  if (text.includes('://')) return ['config.server_url must not begin with a scheme']
  if (text.includes('@')) return ['config.server_url must not contain a user name or password']
  const server = parseServerUrl(text)
  return server === null
    ? ['config.server_url must be host, host:port or host:port/vhost']
    : addressFaults('config.server_url', server.hostUrl, guard)
}

function lengthFaults(path: string, text = ''): string[] {
  return Buffer.byteLength(text) > MAX_BYTES
    ? [`${path} must be at most ${MAX_BYTES} bytes long`]
    : []
}
