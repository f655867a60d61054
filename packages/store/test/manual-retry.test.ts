import {
  type DeliveryRow,
  deliveryRow,
  type DestinationRow,
  destinationRow,
  type EventRow,
  eventRow,
  insertRows,
  tenantRow,
} from '@postrider/testkit'
import { type ManualRetryAnswer, retryByHand, type Store } from '../src/index.ts'
import { openTestStore } from './reads/lists.ts'

const HOUR_MS = 3_600_000

/** What a retry may change, with times as seconds from now. */
interface Row {
  readonly status: string
  readonly reason: string | null
  readonly due_in: number | null
  readonly resume_in: number | null
  readonly open_for: number
  readonly waiting_for: number
  readonly leased: boolean
  readonly dispatch: number
  readonly manual: boolean
  readonly attempts: number
  readonly losses: number
  readonly job_bytes: number
}

function inMs(ms: number): Date {
  return new Date(Date.now() + ms)
}

describe('a retry by hand', () => {
  let store: Store & AsyncDisposable

  beforeAll(async () => {
    store = await openTestStore()
  })

  afterAll(async () => {
    await store[Symbol.asyncDispose]()
  })

  interface Scene {
    readonly event: EventRow
    readonly destination: DestinationRow
    readonly retry: () => Promise<ManualRetryAnswer>
    readonly row: () => Promise<Row | undefined>
  }

  async function scene(given: {
    readonly delivery?: Partial<DeliveryRow>
    readonly destination?: Partial<DestinationRow>
    readonly event?: Partial<EventRow>
  }): Promise<Scene> {
    const tenant = tenantRow()
    const destination = destinationRow({ ...given.destination, tenantUid: tenant.uid })
    const event = eventRow({ ...given.event, tenantUid: tenant.uid })
    const key = { event, destinationUid: destination.uid }
    await insertRows(store.pools.query, {
      tenants: [tenant],
      destinations: [destination],
      events: [event],
      deliveries: given.delivery === undefined ? [] : [deliveryRow({ ...given.delivery, ...key })],
    })
    return {
      event,
      destination,
      retry: () =>
        retryByHand(store, {
          eventId: event.id,
          destinationId: destination.id,
          tenantId: tenant.id,
        }),
      row: async () => {
        const { rows } = await store.pools.query.query<Row>(ROW, [event.uid])
        return rows[0]
      },
    }
  }

  it('of a failed delivery makes it due at once and keeps the retry that was to come', async () => {
    const { retry, row } = await scene({
      delivery: { status: 'failed', dueAt: inMs(HOUR_MS), dispatch: 3, attempts: 3, losses: 2 },
    })

    expect(await retry()).toEqual({ kind: 'accepted' })

    expect(await row()).toMatchObject({
      status: 'failed',
      due_in: 0,
      resume_in: 3600,
      open_for: 0,
      waiting_for: 0,
      leased: false,
      dispatch: 3,
      manual: true,
      attempts: 3,
      losses: 0,
    })
  })

  it('asked for twice before the job is made still knows the retry that was to come', async () => {
    const { retry, row } = await scene({ delivery: { status: 'failed', dueAt: inMs(HOUR_MS) } })

    const answers = await Promise.all([retry(), retry()])

    expect(answers).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }])
    expect(await row()).toMatchObject({ due_in: 0, resume_in: 3600, dispatch: 1 })
  })

  it.each([['success'], ['failed']] as const)(
    'of a delivery that ended as %s keeps the status until there is an outcome',
    async (status) => {
      const reason = status === 'failed' ? 'retries_exhausted' : null
      const { retry, row } = await scene({ delivery: { status, reason } })

      await retry()

      expect(await row()).toMatchObject({ status, reason: null, due_in: 0, resume_in: null })
    },
  )

  it('of a skipped delivery opens it again', async () => {
    const { retry, row } = await scene({
      delivery: { status: 'skipped', reason: 'destination_disabled', attempts: 0, dispatch: 0 },
    })

    await retry()

    expect(await row()).toMatchObject({ status: 'pending', reason: null, due_in: 0, manual: true })
  })

  it('changes nothing while a job is out', async () => {
    const { retry, row } = await scene({
      delivery: { status: 'pending', dueAt: inMs(HOUR_MS), isLeased: true, losses: 1 },
    })

    expect(await retry()).toEqual({ kind: 'accepted' })

    expect(await row()).toMatchObject({ due_in: 3600, leased: true, manual: false, losses: 1 })
  })

  it('takes over from a job whose lease is over, without using up the try', async () => {
    const { retry, row } = await scene({
      delivery: { status: 'pending', dueAt: inMs(-HOUR_MS), isLeased: true, losses: 1 },
    })

    await retry()

    expect(await row()).toMatchObject({
      due_in: 0,
      resume_in: -3600,
      leased: false,
      manual: true,
      losses: 0,
    })
  })

  it('leaves a delivery that waits for its first job its turn', async () => {
    const hourAgo = inMs(-HOUR_MS)
    const { retry, row } = await scene({
      delivery: { status: 'pending', dueAt: hourAgo, waitingSince: hourAgo, dispatch: 0 },
    })

    await retry()

    expect(await row()).toMatchObject({ due_in: 0, waiting_for: 3600, manual: true })
  })

  it('opens a delivery to a destination that the event matches only now', async () => {
    const data = JSON.stringify({ amount: 12 })
    const { retry, row } = await scene({
      destination: { topics: ['user.*'], filter: { data: { amount: { $gt: 10 } } } },
      event: { topic: 'user.created', data },
    })

    expect(await retry()).toEqual({ kind: 'accepted' })

    expect(await row()).toMatchObject({
      status: 'pending',
      due_in: 0,
      leased: false,
      dispatch: 0,
      manual: true,
      attempts: 0,
      job_bytes: 512 + data.length,
    })
  })

  it('opens one delivery when two ask at once', async () => {
    const { retry, row } = await scene({})

    const answers = await Promise.all([retry(), retry()])

    expect(answers).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }])
    expect(await row()).toMatchObject({ status: 'pending', dispatch: 0, resume_in: null })
  })

  it('says which part of the subscription an event does not meet', async () => {
    const topic = await scene({ destination: { topics: ['order.paid'] } })
    const filter = await scene({ destination: { filter: { data: { amount: 1 } } } })

    expect(await topic.retry()).toEqual({ kind: 'mismatch', of: 'topic' })
    expect(await filter.retry()).toEqual({ kind: 'mismatch', of: 'filter' })
    expect(await filter.row()).toBeUndefined()
  })

  it('asks nothing of the subscription when there is a delivery already', async () => {
    const { retry } = await scene({ destination: { topics: ['order.paid'] }, delivery: {} })

    expect(await retry()).toEqual({ kind: 'accepted' })
  })

  it('is refused for a disabled destination, and for one that was deleted', async () => {
    const disabled = await scene({ destination: { disabledAt: new Date() }, delivery: {} })
    const deleted = await scene({ destination: { deletedAt: new Date() }, delivery: {} })

    expect(await disabled.retry()).toEqual({ kind: 'destination_disabled' })
    expect(await deleted.retry()).toEqual({ kind: 'destination_not_found' })
    expect(await disabled.row()).toMatchObject({ due_in: null, manual: false })
  })

  it('does not reach the destination of another tenant under the same id', async () => {
    const { event } = await scene({})
    const { destination } = await scene({})

    const answer = await retryByHand(store, {
      eventId: event.id,
      destinationId: destination.id,
      tenantId: null,
    })

    expect(answer).toEqual({ kind: 'destination_not_found' })
  })

  it('needs an event, and only one', async () => {
    const first = await scene({ event: { id: 'twice' } })
    await scene({ event: { id: 'twice' } })
    const ask = (eventId: string): Promise<ManualRetryAnswer> =>
      retryByHand(store, { eventId, destinationId: first.destination.id, tenantId: null })

    expect(await ask('none')).toEqual({ kind: 'event_not_found' })
    expect(await ask('twice')).toEqual({ kind: 'event_ambiguous' })
  })
})

const ROW = `
  select status, reason, leased, dispatch, manual, attempts, losses, job_bytes,
    round(extract(epoch from due_at - now()) / 60)::int * 60 as due_in,
    round(extract(epoch from resume_at - now()) / 60)::int * 60 as resume_in,
    round(extract(epoch from now() - open_since) / 60)::int * 60 as open_for,
    round(extract(epoch from now() - waiting_since) / 60)::int * 60 as waiting_for
  from deliveries where event_uid = $1`
