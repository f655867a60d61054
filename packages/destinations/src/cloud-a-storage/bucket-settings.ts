import type { DeliveryDestination } from '@postrider/common'
import type { StorageClass } from '@aws-sdk/client-s3'
import type { AwsAccess } from '../aws/client-options.ts'
import { awsCredentials } from '../aws/credentials.ts'
import { compileTemplate, type Template, TemplateError } from '../templates/template.ts'
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
export function bucketSettings({
  tenantUid,
  config,
  credentials,
}: DeliveryDestination): BucketSettings | null {
  const { bucket, region, endpoint = null, key_template: template, storage_class } = config
  const accessKey = awsCredentials(credentials)
  if (bucket === undefined || region === undefined || accessKey === null) return null
  try {
    return {
      tenantUid,
      region,
      endpoint,
      credentials: accessKey,
      bucket,
      keyTemplate: template === undefined ? null : compileTemplate(template, KEY_ROOTS),
      // One of those in the document.
      storageClass: (storage_class ?? null) as StorageClass | null,
    }
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}
