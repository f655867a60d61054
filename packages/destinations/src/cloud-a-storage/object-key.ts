import { renderForEvent, type RenderedText } from '../aws/event-template.ts'
import type { SendRequest } from '../destination-type.ts'
import { refused } from '../send-result.ts'
import type { Template } from '../templates/template.ts'

const MAX_KEY_BYTES = 1024
/** Some services that speak the protocol of S3 follow them out of the bucket. */
const DOTS = /(?:^|\/)\.{1,2}(?:\/|$)/

/** The key of the object of an event, the same in every try. */
export function objectKey(template: Template | null, request: SendRequest): RenderedText {
  const time = timeParts(request.timeMs)
  const fallback = `${time.rfc3339}_${request.eventId}.json`
  const key = renderForEvent(template, request, { fallback, more: { time } })
  const fault = key.kind === 'text' ? keyFault(key.text) : null
  return fault === null ? key : { kind: 'refused', result: refused('unsendable', fault) }
}

function keyFault(key: string): string | null {
  const bytes = Buffer.byteLength(key)
  if (bytes === 0) return 'The key template makes an empty key of this event.'
  if (bytes > MAX_KEY_BYTES) {
    return `The key template makes a key of ${bytes} bytes of this event; S3 takes ${MAX_KEY_BYTES}.`
  }
  if (!key.isWellFormed()) return 'The key template makes a key of this event that is not Unicode.'
  return DOTS.test(key)
    ? 'The key template makes a key with "." or ".." as a part of its path.'
    : null
}

/** Texts, so that templates may join them; in UTC. */
function timeParts(timeMs: number) {
  const rfc3339 = new Date(timeMs).toISOString()
  const [date = '', clock = ''] = rfc3339.split('T')
  const [year = '', month = '', day = ''] = date.split('-')
  const [hour = '', minute = '', second = ''] = clock.slice(0, 8).split(':')
  return {
    year,
    month,
    day,
    hour,
    minute,
    second,
    date,
    datetime: rfc3339.slice(0, 19),
    unix: String(Math.floor(timeMs / 1000)),
    rfc3339,
  }
}
