import type { QueueName } from '@postrider/common'
import * as fc from 'fast-check'
import type { Place, RunwayLimits, SharedState } from '../src/index.ts'
import { placeOf } from './places.ts'
import { recordingLog } from './recording-log.ts'
import { RunwayModel } from './runway-model.ts'
import { SHORT_MS, type StateHarness } from './state-harness.ts'

/** Every sequence of steps leads to the same answers as the model's, and to its end when all is over. */
export function runwayProperty(harness: StateHarness): fc.IAsyncProperty<[RunwayLimits, Step[]]> {
  const steps = fc.array(step, { minLength: 1, maxLength: 10 })
  return fc.asyncProperty(limits, steps, async (bounds, sequence) => {
    const state = await harness.open(bounds, recordingLog())
    const model = new RunwayModel(bounds)
    for (const each of sequence) await expectSameAnswer(each, state, model, harness)
    await state.releasePlaces(model.held)
    model.release(model.held)
    const again = { places: spread(0, 0, 'fresh', 80), lasts: true, yields: false }
    await expectSameAnswer({ kind: 'take', ...again }, state, model, harness)
    await state.stop()
  })
}

type Step =
  | {
      readonly kind: 'take'
      readonly places: readonly Place[]
      readonly lasts: boolean
      readonly yields: boolean
    }
  | { readonly kind: 'release'; readonly places: readonly Place[] }
  | { readonly kind: 'mark' | 'clear'; readonly place: Place }
  | { readonly kind: 'narrow'; readonly place: Place; readonly to: number; readonly lasts: boolean }

/** Does the same to both. What ends soon has ended when it returns: real clocks go on between steps. */
async function expectSameAnswer(
  each: Step,
  state: SharedState,
  model: RunwayModel,
  harness: StateHarness,
): Promise<void> {
  const lasts = !('lasts' in each) || each.lasts
  const ttlMs = lasts ? 600_000 : SHORT_MS
  switch (each.kind) {
    case 'take': {
      const options = { expiresInMs: ttlMs, yieldToBacklog: each.yields }
      const expected = model.take(each.places, options)
      expect(await state.takePlaces(each.places, options)).toEqual(expected)
      expect(model.exceeded()).toEqual([])
      break
    }
    case 'release':
      model.release(each.places)
      await state.releasePlaces(each.places)
      break
    case 'mark':
      model.markBacklog(each.place, ttlMs)
      await state.markBacklog(each.place.tenantUid, each.place.queue, ttlMs)
      break
    case 'clear':
      model.clearBacklog(each.place)
      await state.clearBacklog(each.place.tenantUid, each.place.queue)
      break
    case 'narrow':
      model.narrow(each.place.destinationUid, each.to, ttlMs)
      await state.narrowDestination(each.place.destinationUid, each.to, ttlMs)
      break
  }
  if (lasts) return
  model.pass(SHORT_MS)
  await harness.pass(SHORT_MS)
}

/** Places of one tenant and queue, spread over his six destinations, from a small stock of events. */
function spread(tenant: number, firstEvent: number, queue: QueueName, count: number): Place[] {
  return Array.from({ length: count }, (_, index) => ({
    queue,
    tenantUid: `tenant-${tenant}`,
    destinationUid: `destination-${tenant}-${index % 6}`,
    eventUid: `event-${firstEvent + index}`,
    dispatch: queue === 'fresh' ? 1 : 2,
    bytes: 100 + (index % 3) * 50,
  }))
}

const places = fc
  .record({
    tenant: fc.nat(2),
    firstEvent: fc.nat(12),
    queue: fc.constantFrom<QueueName>('fresh', 'retry'),
    count: fc.integer({ min: 1, max: 80 }),
  })
  .map(({ tenant, firstEvent, queue, count }) => spread(tenant, firstEvent * 6, queue, count))

const place = places.map(([first]) => first ?? placeOf())

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      places,
      lasts: fc.boolean(),
      yields: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('release' as const), places }) },
  fc.record({ kind: fc.constantFrom('mark' as const, 'clear' as const), place }),
  fc.record({
    kind: fc.constant('narrow' as const),
    place,
    to: fc.nat(20),
    lasts: fc.boolean(),
  }),
)

const limits: fc.Arbitrary<RunwayLimits> = fc.record({
  perTenant: fc.integer({ min: 1, max: 300 }),
  totalJobs: fc.nat(160),
  totalBytes: fc.nat(24_000),
})
