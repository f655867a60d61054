import type { DeliveryDestination } from '@postrider/common'
import { type AwsAccess, awsAccess } from '../aws/access.ts'
import { savedTemplate } from '../aws/event-template.ts'
import type { Template } from '../templates/template.ts'
import { PARTITION_KEY_ROOTS } from './validate.ts'

/** What a client needs to know of a destination. */
export interface StreamSettings extends AwsAccess {
  readonly streamName: string
  /** Null: the event's id is the key. */
  readonly partitionKeyTemplate: Template | null
}

/** Null: the settings are not such as validation lets through. */
export function streamSettings(destination: DeliveryDestination): StreamSettings | null {
  const { config } = destination
  const { stream_name: streamName, partition_key_template: template } = config
  const access = awsAccess(destination, config)
  const partitionKeyTemplate = savedTemplate(template, PARTITION_KEY_ROOTS)
  if (access === null || streamName === undefined || partitionKeyTemplate === undefined) return null
  return { ...access, streamName, partitionKeyTemplate }
}
