import type { DestinationSettings } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { type HostPort, parseHostPort } from '../host-port.ts'
import { addressFaults } from '../url-faults.ts'
import { isServiceAccount } from './service-account.ts'

const ACCOUNT_PATH = 'credentials.service_account_json'

/** Faults of settings that already fit the document. */
export function validateCloudCTopic(
  { config, credentials }: DestinationSettings,
  guard: AddressGuard,
): readonly string[] {
  const { endpoint } = config
  const host = endpoint === undefined ? null : parseEndpoint(endpoint)
  const account = credentials['service_account_json']
  return [
    ...(endpoint === undefined ? [] : endpointFaults(host, guard)),
    ...(account === undefined ? missingAccountFaults(host, guard) : accountFaults(account)),
  ]
}

/** `host`, `host:port`, or either as a URL without a path. */
function parseEndpoint(text: string): HostPort | null {
  return parseHostPort(text.replace(/^https?:\/\//, '').replace(/\/$/, ''))
}

function endpointFaults(host: HostPort | null, guard: AddressGuard): string[] {
  return host === null
    ? ['config.endpoint must be host or host:port']
    : addressFaults('config.endpoint', host.url, guard)
}

function accountFaults(text: string): string[] {
  return isServiceAccount(text)
    ? []
    : [
        `${ACCOUNT_PATH} must be a JSON object with the type service_account, client_email and private_key`,
      ]
}

/** Only where the operator sends his tenants himself may messages go without proof of who sends them. */
function missingAccountFaults(host: HostPort | null, guard: AddressGuard): string[] {
  const isNeedless =
    host !== null &&
    !/(?:^|\.)googleapis\.com$/.test(host.url.hostname) &&
    guard.mayBeOperators(host.url)
  return isNeedless ? [] : [`${ACCOUNT_PATH} is required`]
}
