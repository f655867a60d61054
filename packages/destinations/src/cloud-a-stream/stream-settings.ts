import type { DeliveryDestination } from '@postrider/common'
import type { AwsAccess } from '../aws/client-options.ts'
import { awsCredentials } from '../aws/credentials.ts'
import { compileTemplate, type Template, TemplateError } from '../templates/template.ts'
import { PARTITION_KEY_ROOTS } from './validate.ts'

/** What a client needs to know of a destination. */
export interface StreamSettings extends AwsAccess {
  readonly streamName: string
  /** Null: the event's id is the key. */
  readonly partitionKeyTemplate: Template | null
}

/** Null: the settings are not such as validation lets through. */
export function streamSettings({
  tenantUid,
  config,
  credentials,
}: DeliveryDestination): StreamSettings | null {
  const { stream_name: streamName, region, endpoint = null, partition_key_template: text } = config
  const accessKey = awsCredentials(credentials)
  if (streamName === undefined || region === undefined || accessKey === null) return null
  try {
    return {
      tenantUid,
      region,
      endpoint,
      credentials: accessKey,
      streamName,
      partitionKeyTemplate: text === undefined ? null : compileTemplate(text, PARTITION_KEY_ROOTS),
    }
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}
