import type { DispatchKey, QueueName } from './delivery.ts'

/**
 * Above this size the bytes of `data` stay in Postgres and the job carries a reference to them (the
 * claim check), so that queues, prefetch windows and the broker's memory stay small.
 */
export const INLINE_DATA_LIMIT_BYTES = 64 * 1024

/** The message that asks a deliverer to make the next attempt of one delivery. */
export interface Job extends DispatchKey {
  readonly queue: QueueName
  readonly tenantUid: string
  readonly eventId: string
  readonly topic: string
  /** The event's time, Unix milliseconds. */
  readonly timeMs: number
  readonly metadata: Readonly<Record<string, string>>
  /** The end of the lease, Unix milliseconds by Postgres' clock. */
  readonly leaseEndMs: number
  /** An older job of this delivery may still be about: win the row before sending (rule 3). */
  readonly verify: boolean
  /** Made by hand: counts in the numbering of attempts, not in the tries. */
  readonly manual: boolean
  /** The exact bytes of `data`; null when they stayed in Postgres. */
  readonly data: Buffer | null
}

/** The bytes are not a job of a version that this code reads; it belongs in the dead queue. */
export class MalformedJobError extends Error {
  override readonly name = 'MalformedJobError'
}

const NEWLINE = 0x0a
const VERIFY = 1
const MANUAL = 2
const BY_REFERENCE = 4

/**
 * A job as it travels: one line of JSON, a newline, then the bytes of `data` as published, which go
 * on to the receiver without being parsed again. The queue is not part of it: it is where the
 * message lies.
 */
export function encodeJob(job: Job): Buffer {
  const flags =
    (job.verify ? VERIFY : 0) | (job.manual ? MANUAL : 0) | (job.data === null ? BY_REFERENCE : 0)
  const head = JSON.stringify([
    1,
    job.eventUid,
    job.destinationUid,
    job.receivedAt,
    job.dispatch,
    job.tenantUid,
    job.eventId,
    job.topic,
    job.timeMs,
    job.leaseEndMs,
    flags,
    job.metadata,
  ])
  const headLength = Buffer.byteLength(head)
  const body = Buffer.allocUnsafe(headLength + 1 + (job.data?.length ?? 0))
  body.write(head, 0, 'utf8')
  body[headLength] = NEWLINE
  job.data?.copy(body, headLength + 1)
  return body
}

/**
 * The job in a message body; `data` is a view of the body, not a copy.
 *
 * @throws {MalformedJobError} When the body is not a job of version 1
 */
export function decodeJob(body: Buffer, queue: QueueName): Job {
  const end = body.indexOf(NEWLINE)
  if (end === -1) throw new MalformedJobError('no header line')
  let head: unknown
  try {
    head = JSON.parse(body.toString('utf8', 0, end))
  } catch (cause) {
    throw new MalformedJobError('the header line is not JSON', { cause })
  }
  if (!isHead(head))
    throw new MalformedJobError('the header line is not that of a job of version 1')
  const flags = head[10]
  return {
    queue,
    eventUid: head[1],
    destinationUid: head[2],
    receivedAt: head[3],
    dispatch: head[4],
    tenantUid: head[5],
    eventId: head[6],
    topic: head[7],
    timeMs: head[8],
    leaseEndMs: head[9],
    verify: (flags & VERIFY) !== 0,
    manual: (flags & MANUAL) !== 0,
    metadata: head[11],
    data: (flags & BY_REFERENCE) === 0 ? body.subarray(end + 1) : null,
  }
}

type Head = [
  version: 1,
  eventUid: string,
  destinationUid: string,
  receivedAt: string,
  dispatch: number,
  tenantUid: string,
  eventId: string,
  topic: string,
  timeMs: number,
  leaseEndMs: number,
  flags: number,
  metadata: Record<string, string>,
]

/** Of all but the last one, the metadata. */
const HEAD_TYPES: readonly string[] = [
  'number',
  'string',
  'string',
  'string',
  'number',
  'string',
  'string',
  'string',
  'number',
  'number',
  'number',
]

function isHead(value: unknown): value is Head {
  return (
    Array.isArray(value) &&
    value.length === HEAD_TYPES.length + 1 &&
    value[0] === 1 &&
    HEAD_TYPES.every((type, i) => typeof value[i] === type) &&
    isStringMap(value[11])
  )
}

function isStringMap(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((entry) => typeof entry === 'string')
  )
}

/** What a job weighs in the broker, for the bound on the runway; an estimate from its data. */
export function jobBytes(dataBytes: number): number {
  return 512 + (dataBytes > INLINE_DATA_LIMIT_BYTES ? 0 : dataBytes)
}
