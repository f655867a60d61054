import type { DestinationSettings, Target } from '../destination-type.ts'
import { parseConnectionString } from './connection-string.ts'

const AZURE = /\.servicebus\.(?:windows\.net|chinacloudapi\.cn|usgovcloudapi\.net)$/

/** The namespace, and the queue or topic in it. */
export function cloudBBusTarget({ config, credentials }: DestinationSettings): Target {
  const host = parseConnectionString(credentials['connection_string'] ?? '')?.host
  const port = host?.port === null || host === undefined ? '' : `:${host.port}`
  const namespace = `${host?.url.hostname.replace(AZURE, '') ?? ''}${port}`
  return { target: `${namespace}/${config['name'] ?? ''}`, targetUrl: null }
}
