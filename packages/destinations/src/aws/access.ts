import type { DeliveryDestination } from '@postrider/common'
import { parseUrl } from '../parse-url.ts'
import { type AwsCredentials, awsCredentials } from './credentials.ts'

/** Where a client goes, and as whom. */
export interface AwsAccess {
  readonly tenantUid: string
  readonly region: string
  /** The base URL of the service; null: that of AWS in the region. */
  readonly endpoint: string | null
  readonly credentials: AwsCredentials
}

/** Null: the settings are not such as validation lets through. */
export function awsAccess(
  { tenantUid, credentials }: DeliveryDestination,
  { region, endpoint }: { readonly region?: string | undefined; readonly endpoint?: string },
): AwsAccess | null {
  const accessKey = awsCredentials(credentials)
  if (accessKey === null || region === undefined) return null
  if (endpoint !== undefined && parseUrl(endpoint) === null) return null
  return { tenantUid, region, endpoint: endpoint ?? null, credentials: accessKey }
}

export function isOverTls({ endpoint }: AwsAccess): boolean {
  return endpoint === null || new URL(endpoint).protocol === 'https:'
}
