import { awsConsole } from '../aws/region.ts'
import type { DestinationSettings, Target } from '../destination-type.ts'
import { parseQueueUrl } from './queue-url.ts'

/** The queue, and where it is in the console of AWS. */
export function cloudAQueueTarget({ config }: DestinationSettings): Target {
  const target = config['queue_url'] ?? ''
  return { target, targetUrl: config['endpoint'] === undefined ? consoleUrl(target) : null }
}

function consoleUrl(queueUrl: string): string | null {
  const queue = parseQueueUrl(queueUrl)
  if (queue === null || !queue.isAtAws || queue.region === null) return null
  const console = awsConsole(queue.region)
  return console === null
    ? null
    : `${console}/sqs/v3/home?region=${queue.region}#/queues/${encodeURIComponent(queueUrl)}`
}
