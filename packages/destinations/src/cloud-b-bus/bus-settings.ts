import type { DeliveryDestination } from '@postrider/common'
import { withoutBrackets } from '../guard/host.ts'
import type { SocketTarget } from '../guard/open-socket.ts'
import { type BusCredential, parseConnectionString } from './connection-string.ts'

/** What a client needs to know of a destination. */
export interface BusSettings {
  readonly server: SocketTarget
  readonly credential: BusCredential
  /** The queue or topic. */
  readonly entity: string
}

const PORT = 5671
const PLAIN_PORT = 5672

/** Null: the settings are not such as validation lets through. */
export function busSettings(destination: DeliveryDestination): BusSettings | null {
  const { tenantUid, config, credentials } = destination
  const parsed = parseConnectionString(credentials['connection_string'] ?? '')
  const entity = config['name'] ?? ''
  if (parsed === null || entity === '') return null
  const { host, credential, isPlain } = parsed
  return {
    server: {
      hostname: withoutBrackets(host.url.hostname),
      port: host.port ?? (isPlain ? PLAIN_PORT : PORT),
      isTls: !isPlain,
      tenantUid,
    },
    credential,
    entity,
  }
}
