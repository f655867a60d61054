import * as fc from 'fast-check'
import {
  decodeJob,
  encodeJob,
  INLINE_DATA_LIMIT_BYTES,
  type Job,
  jobBytes,
  MalformedJobError,
} from './job.ts'

const job: Job = {
  queue: 'fresh',
  eventUid: '018f0000-0000-7000-8000-000000000001',
  destinationUid: '018f0000-0000-7000-8000-000000000002',
  receivedAt: '2026-03-01 12:00:00.123456+00',
  dispatch: 1,
  tenantUid: '018f0000-0000-7000-8000-000000000003',
  eventId: 'evt_1',
  topic: 'user.created',
  timeMs: 1_772_366_400_123,
  metadata: { source: 'api' },
  leaseEndMs: 1_772_366_520_123,
  verify: false,
  manual: false,
  data: Buffer.from('{"n":12345678901234567890}'),
}

const jobs: fc.Arbitrary<Job> = fc.record({
  queue: fc.constantFrom('fresh' as const, 'retry' as const),
  eventUid: fc.uuid(),
  destinationUid: fc.uuid(),
  receivedAt: fc.string(),
  dispatch: fc.integer(),
  tenantUid: fc.uuid(),
  eventId: fc.string({ unit: 'binary' }),
  topic: fc.string({ unit: 'binary' }),
  timeMs: fc.integer(),
  metadata: fc.dictionary(fc.string(), fc.string({ unit: 'binary' }), { noNullPrototype: true }),
  leaseEndMs: fc.integer(),
  verify: fc.boolean(),
  manual: fc.boolean(),
  data: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
})

describe('a job on the wire', () => {
  it('is the same job when it arrives, whatever is in it', () => {
    fc.assert(
      fc.property(jobs, (sent) => {
        expect(decodeJob(encodeJob(sent), sent.queue)).toEqual(sent)
      }),
    )
  })

  it('belongs to the queue in which it lies', () => {
    expect(decodeJob(encodeJob(job), 'retry').queue).toBe('retry')
  })

  it('ends with the bytes of data as published', () => {
    const body = encodeJob(job)
    expect(body.toString()).toMatch(/^\[1,.*\]\n\{"n":12345678901234567890\}$/)
  })

  it('hands its data on without a copy', () => {
    const body = encodeJob(job)
    expect(decodeJob(body, 'fresh').data?.buffer).toBe(body.buffer)
  })

  it('tells empty data from data that stayed in Postgres', () => {
    expect(decodeJob(encodeJob({ ...job, data: Buffer.alloc(0) }), 'fresh').data).toHaveLength(0)
    expect(decodeJob(encodeJob({ ...job, data: null }), 'fresh').data).toBeNull()
  })
})

function line(head: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(head)}\n`)
}

describe('what is no job', () => {
  const head: unknown[] = JSON.parse(encodeJob({ ...job, data: null }).toString())

  it('is recognised by what is missing or wrong in its head', () => {
    expect(() => decodeJob(line(head), 'fresh')).not.toThrow()
    const wrong = head.map((_, i) => head.with(i, i === 0 ? 2 : { not: { what: 'it was' } }))
    const bodies = [...wrong, head.slice(0, -1), [...head, 1], {}, null, 'x'].map(line)
    for (const body of bodies) expect(() => decodeJob(body, 'fresh')).toThrow(MalformedJobError)
  })

  it.each([null, [], ['a'], 'x', { key: 5 }])('has metadata like %j', (metadata) => {
    expect(() => decodeJob(line(head.with(11, metadata)), 'fresh')).toThrow(MalformedJobError)
  })

  it.each(['', '[1', '[1\n', 'x\n{}', '\n'])('is text like %j', (text) => {
    expect(() => decodeJob(Buffer.from(text), 'fresh')).toThrow(MalformedJobError)
  })

  it('is never anything but malformed, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(() => decodeJob(Buffer.from(bytes), 'fresh')).toThrow(MalformedJobError)
      }),
    )
  })
})

describe('what a job weighs', () => {
  it('is its data and a bit more, or only the bit when the data stays in Postgres', () => {
    expect(jobBytes(0)).toBe(512)
    expect(jobBytes(INLINE_DATA_LIMIT_BYTES)).toBe(512 + 65_536)
    expect(jobBytes(INLINE_DATA_LIMIT_BYTES + 1)).toBe(512)
  })
})
