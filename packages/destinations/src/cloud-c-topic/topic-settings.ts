import type { DeliveryDestination } from '@postrider/common'
import { type Endpoint, parseEndpoint } from './endpoint.ts'
import { parseServiceAccount, type ServiceAccount } from './service-account.ts'

/** What a client needs to know of a destination. */
export interface TopicSettings {
  /** Whose topic it is. */
  readonly tenantUid: string
  /** A name or a bare address. */
  readonly hostname: string
  readonly port: number
  /** Spoken to with TLS wherever it is; else only outside of the operator's networks. */
  readonly needsTls: boolean
  /** `projects/<project>/topics/<topic>` */
  readonly topic: string
  /** Null: none was given, which the operator's networks do without. */
  readonly account: ServiceAccount | null
}

const GOOGLE = 'pubsub.googleapis.com'
const PORT = 443

/** Null: the settings are not such as validation lets through. */
export function topicSettings(destination: DeliveryDestination): TopicSettings | null {
  const { tenantUid, config, credentials } = destination
  const { project_id: project = '', topic = '', endpoint: endpointText = GOOGLE } = config
  const { service_account_json: accountText } = credentials
  const endpoint = parseEndpoint(endpointText)
  const account = accountText === undefined ? null : parseServiceAccount(accountText)
  if (endpoint === null || project === '' || topic === '') return null
  if (accountText !== undefined && account === null) return null
  return {
    tenantUid,
    ...place(endpoint),
    topic: `projects/${project}/topics/${topic}`,
    account,
  }
}

function place({
  host,
  needsTls,
}: Endpoint): Pick<TopicSettings, 'hostname' | 'port' | 'needsTls'> {
  const hostname = host.url.hostname.replace(/^\[(.*)\]$/, '$1')
  return { hostname, port: host.port ?? PORT, needsTls }
}
