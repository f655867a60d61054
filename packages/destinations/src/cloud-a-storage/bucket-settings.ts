import type { DeliveryDestination } from '@postrider/common'
import type { StorageClass } from '@aws-sdk/client-s3'
import { type AwsAccess, awsAccess } from '../aws/access.ts'
import { savedTemplate } from '../aws/event-template.ts'
import type { Template } from '../templates/template.ts'
import { KEY_ROOTS } from './validate.ts'

/** What a client needs to know of a destination. */
export interface BucketSettings extends AwsAccess {
  readonly bucket: string
  /** Null: keys are of the time and the event's id. */
  readonly keyTemplate: Template | null
  /** Null: as the bucket is set up. */
  readonly storageClass: StorageClass | null
}

/** Null: the settings are not such as validation lets through. */
export function bucketSettings(destination: DeliveryDestination): BucketSettings | null {
  const { config } = destination
  const { bucket, key_template: template, storage_class } = config
  const access = awsAccess(destination, config)
  const keyTemplate = savedTemplate(template, KEY_ROOTS)
  if (access === null || bucket === undefined || keyTemplate === undefined) return null
  // One of those in the document.
  const storageClass = (storage_class ?? null) as StorageClass | null
  return { ...access, bucket, keyTemplate, storageClass }
}
