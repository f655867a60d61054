import type { DeliveryDestination } from '@postrider/common'
import { parseServerUrl } from './server-url.ts'

/** What a client needs to know of a destination. */
export interface BrokerSettings {
  /** Whose broker it is. */
  readonly tenantUid: string
  /** A name or a bare address. */
  readonly hostname: string
  readonly port: number
  readonly vhost: string
  readonly isTls: boolean
  readonly username: string
  readonly password: string
}

const PORT = 5672
const TLS_PORT = 5671

/** Null: the settings are not such as validation lets through. */
export function brokerSettings({
  tenantUid,
  config,
  credentials,
}: DeliveryDestination): BrokerSettings | null {
  const server = parseServerUrl(config['server_url'] ?? '')
  const { username, password } = credentials
  if (server === null || username === undefined || password === undefined) return null
  const isTls = config['tls'] === 'true'
  return {
    tenantUid,
    hostname: server.hostUrl.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: server.port ?? (isTls ? TLS_PORT : PORT),
    vhost: server.vhost,
    isTls,
    username,
    password,
  }
}
