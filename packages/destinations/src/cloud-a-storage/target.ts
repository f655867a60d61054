import { awsConsole } from '../aws/region.ts'
import type { DestinationSettings, Target } from '../destination-type.ts'

/** The bucket and its region, and where it is in the console of AWS. */
export function cloudAStorageTarget({ config }: DestinationSettings): Target {
  const { bucket = '', region = '', endpoint } = config
  const console = endpoint === undefined ? awsConsole(region) : null
  return {
    target: `${bucket} in ${region}`,
    targetUrl: console === null ? null : `${console}/s3/buckets/${bucket}?region=${region}`,
  }
}
