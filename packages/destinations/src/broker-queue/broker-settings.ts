import type { DeliveryDestination } from '@postrider/common'
import { withoutBrackets } from '../guard/host.ts'
import type { SocketTarget } from '../guard/open-socket.ts'
import { parseServerUrl } from './server-url.ts'

/** What a client needs to know of a destination. */
export interface BrokerSettings extends SocketTarget {
  readonly vhost: string
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
    hostname: withoutBrackets(server.hostUrl.hostname),
    port: server.port ?? (isTls ? TLS_PORT : PORT),
    vhost: server.vhost,
    isTls,
    username,
    password,
  }
}
