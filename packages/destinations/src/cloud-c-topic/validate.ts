import type { DestinationSettings } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import type { HostPort } from '../host-port.ts'
import { addressFaults } from '../url-faults.ts'
import { isGoogles, parseEndpoint } from './endpoint.ts'
import { parseServiceAccount } from './service-account.ts'

const ACCOUNT_PATH = 'credentials.service_account_json'

/** Faults of settings that already fit the document. */
export function validateCloudCTopic(
  { config, credentials }: DestinationSettings,
  guard: AddressGuard,
): readonly string[] {
  const { endpoint } = config
  const host = endpoint === undefined ? null : (parseEndpoint(endpoint)?.host ?? null)
  const account = credentials['service_account_json']
  return [
    ...(endpoint === undefined ? [] : endpointFaults(host, guard)),
    ...(account === undefined ? missingAccountFaults(host, guard) : accountFaults(account)),
  ]
}

function endpointFaults(host: HostPort | null, guard: AddressGuard): string[] {
  return host === null
    ? ['config.endpoint must be host or host:port']
    : addressFaults('config.endpoint', host.url, guard)
}

function accountFaults(text: string): string[] {
  return parseServiceAccount(text) === null
    ? [
        `${ACCOUNT_PATH} must be a JSON object with the type service_account, client_email and private_key`,
      ]
    : []
}

/** Only where the operator sends his tenants himself may messages go without proof of who sends them. */
function missingAccountFaults(host: HostPort | null, guard: AddressGuard): string[] {
  const isNeedless = host !== null && !isGoogles(host) && guard.mayBeOperators(host.url)
  return isNeedless ? [] : [`${ACCOUNT_PATH} is required`]
}
