import { isAwsRegion } from '../aws/region.ts'
import { parseUrl } from '../parse-url.ts'

/** What a queue's URL says of it. */
export interface QueueUrl {
  readonly url: URL
  /** The region that the URL names; null when it names none. */
  readonly region: string | null
  /** The queue is at AWS itself, not at another service that speaks its protocol. */
  readonly isAtAws: boolean
  readonly isFifo: boolean
}

const AWS_SUFFIX = /\.(?:amazonaws\.(?:com|com\.cn|eu)|api\.aws|c2s\.ic\.gov|sc2s\.sgov\.gov)$/
// `sqs.eu-west-1.amazonaws.com`, `sqs-fips.…`, `vpce-1.sqs.eu-west-1.vpce.…`, `eu-west-1.queue.…`.
const REGION_IN_HOST = /(?:^|\.)sqs(?:-fips)?\.([a-z0-9-]+)\.|^([a-z0-9-]+)\.queue\./
const AWS_PATH = /^\/\d{12}\/[^/]+$/
const NAME = /^(?=.{1,80}$)[A-Za-z0-9_-]+(?:\.fifo)?$/

/** Null: the text is not the URL of a queue. */
export function parseQueueUrl(text: string): QueueUrl | null {
  const url = parseUrl(text)
  if (url === null || /[?#]/.test(text)) return null
  const { hostname, pathname, protocol } = url
  if (protocol !== 'https:' && protocol !== 'http:') return null
  const name = pathname.split('/').at(-1) ?? ''
  const isAtAws = AWS_SUFFIX.test(hostname)
  if (!NAME.test(name) || (isAtAws && !AWS_PATH.test(pathname))) return null
  const [, first, second] = REGION_IN_HOST.exec(hostname) ?? []
  const region = first ?? second ?? ''
  return {
    url,
    region: isAwsRegion(region) ? region : null,
    isAtAws,
    isFifo: name.endsWith('.fifo'),
  }
}
