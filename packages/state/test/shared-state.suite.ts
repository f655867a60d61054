import * as fc from 'fast-check'
import { type RunwayLimits, type SharedState, TENANT_MINIMUM_PLACES } from '../src/index.ts'
import { countTaken, FOR_LONG, limitsOf, placeOf, placesOf, YIELDING } from './places.ts'
import { recordingLog } from './recording-log.ts'
import { runwayProperty } from './runway-property.ts'
import { SHORT_MS, type StateHarness } from './state-harness.ts'

const FOR_SHORT = { expiresInMs: SHORT_MS, yieldToBacklog: false }

/** What every shared state promises. */
export function describeSharedState(name: string, start: () => Promise<StateHarness>): void {
  describe(name, () => {
    let harness: StateHarness
    beforeAll(async () => {
      harness = await start()
    })
    afterAll(() => harness.stop())

    const open = (limits: Partial<RunwayLimits> = {}): Promise<SharedState> =>
      harness.open(limitsOf(limits), recordingLog())

    describe('taking', () => {
      it('answers nothing when asked for nothing', async () => {
        const state = await open()
        expect(await state.takePlaces([], FOR_LONG)).toEqual([])
        await state.releasePlaces([])
      })

      it('gives a tenant his places and no more, in the order asked', async () => {
        const state = await open({ perTenant: 3 })
        const places = placesOf(5)
        expect(await state.takePlaces(places, FOR_LONG)).toEqual([true, true, true, false, false])
        const next = [placeOf(), placeOf({ tenantUid: 'other' })]
        expect(await state.takePlaces(next, FOR_LONG)).toEqual([false, true])
      })

      it('bounds each queue by itself', async () => {
        const state = await open({ perTenant: 2 })
        await state.takePlaces(placesOf(2), FOR_LONG)
        const retries = await state.takePlaces(placesOf(3, { queue: 'retry' }), FOR_LONG)
        expect(retries).toEqual([true, true, false])
      })

      it('gives one destination a quarter of its tenant’s places, rounded up', async () => {
        const state = await open({ perTenant: 10 })
        const places = placesOf(4, { destinationUid: 'greedy' })
        expect(await state.takePlaces(places, FOR_LONG)).toEqual([true, true, true, false])
        const retries = placesOf(4, { destinationUid: 'greedy', queue: 'retry' })
        expect(countTaken(await state.takePlaces(retries, FOR_LONG))).toBe(3)
        expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
      })

      it('bounds the jobs over all tenants, but for the first 50 of each', async () => {
        const state = await open({ totalJobs: 70 })
        expect(countTaken(await state.takePlaces(placesOf(100), FOR_LONG))).toBe(70)
        const other = placesOf(TENANT_MINIMUM_PLACES + 5, { tenantUid: 'other' })
        expect(countTaken(await state.takePlaces(other, FOR_LONG))).toBe(TENANT_MINIMUM_PLACES)
        const retries = placesOf(TENANT_MINIMUM_PLACES + 5, { queue: 'retry' })
        expect(countTaken(await state.takePlaces(retries, FOR_LONG))).toBe(TENANT_MINIMUM_PLACES)
      })

      it('bounds the bytes over all tenants, but for the first 50 of each', async () => {
        const state = await open({ totalBytes: 6000 })
        expect(countTaken(await state.takePlaces(placesOf(70, { bytes: 100 }), FOR_LONG))).toBe(60)
        const other = placesOf(60, { tenantUid: 'other', bytes: 10_000 })
        expect(countTaken(await state.takePlaces(other, FOR_LONG))).toBe(TENANT_MINIMUM_PLACES)
      })

      it('takes a job that still fits after one that does not', async () => {
        const state = await open({ totalBytes: 5010 })
        await state.takePlaces(placesOf(TENANT_MINIMUM_PLACES, { bytes: 100 }), FOR_LONG)
        const [large, small] = [placeOf({ bytes: 11 }), placeOf({ bytes: 10 })]
        expect(await state.takePlaces([large, small], FOR_LONG)).toEqual([false, true])
      })

      it('holds a tenant to his own bound although he has fewer than 50 places', async () => {
        const state = await open({ perTenant: 4, totalJobs: 0 })
        expect(countTaken(await state.takePlaces(placesOf(6), FOR_LONG))).toBe(4)
      })

      it('does not give again what is held by the same delivery and dispatch', async () => {
        const state = await open()
        const place = placeOf()
        expect(await state.takePlaces([place, place], FOR_LONG)).toEqual([true, false])
        expect(await state.takePlaces([place], FOR_LONG)).toEqual([false])
        expect(await state.takePlaces([{ ...place, dispatch: 2 }], FOR_LONG)).toEqual([true])
      })

      it('takes thousands at once', async () => {
        const state = await open({ perTenant: 2100 })
        const places = placesOf(2500)
        const taken = await state.takePlaces(places, FOR_LONG)
        expect(taken).toHaveLength(2500)
        expect(taken.lastIndexOf(true)).toBe(2099)
        await state.releasePlaces(places)
        expect(countTaken(await state.takePlaces(placesOf(2500), FOR_LONG))).toBe(2100)
      })

      it('takes uids as they are', async () => {
        const state = await open({ perTenant: 8 })
        const odd = { tenantUid: 'a"b\\c\n:{x}', destinationUid: 'é ☃', eventUid: '%d+$' }
        const places = [placeOf(odd), placeOf({ ...odd, dispatch: 2 })]
        expect(await state.takePlaces(places, FOR_LONG)).toEqual([true, true])
        await state.releasePlaces(places)
        expect(await state.takePlaces(places, FOR_LONG)).toEqual([true, true])
      })
    })

    describe('releasing', () => {
      it('makes room for the tenant, the destination, and all', async () => {
        const state = await open({ perTenant: 400, totalJobs: 60, totalBytes: 6000 })
        const places = placesOf(60, { bytes: 100 })
        await state.takePlaces(places, FOR_LONG)
        await state.releasePlaces(places.slice(0, 7))
        expect(countTaken(await state.takePlaces(placesOf(60, { bytes: 100 }), FOR_LONG))).toBe(7)
      })

      it.each<[string, Partial<RunwayLimits>]>([
        ['the tenant', { perTenant: 60 }],
        ['the destination', { perTenant: 240 }],
        ['the jobs', { totalJobs: 60 }],
        ['the bytes', { totalBytes: 6000 }],
      ])(
        'frees nothing of %s for what is not held, or not by that tenant and queue',
        async (_, limits) => {
          const state = await open(limits)
          const destination = limits.perTenant === 240 ? { destinationUid: 'd' } : {}
          const held = placesOf(60, { bytes: 100, ...destination })
          expect(countTaken(await state.takePlaces(held, FOR_LONG))).toBe(60)
          await state.releasePlaces([
            placeOf(),
            ...held.map((place) => ({ ...place, dispatch: 7 })),
            ...held.map((place) => ({ ...place, tenantUid: 'other' })),
            ...held.map((place) => ({ ...place, queue: 'retry' as const })),
          ])
          const next = placeOf({ bytes: 100, ...destination })
          expect(await state.takePlaces([next], FOR_LONG)).toEqual([false])
        },
      )

      it('frees a place once, however often it is given back', async () => {
        const state = await open({ perTenant: 400, totalJobs: 60, totalBytes: 6000 })
        const places = placesOf(60, { bytes: 100 })
        const first = places.slice(0, 1)
        await state.takePlaces(places, FOR_LONG)
        await state.releasePlaces([...first, ...first])
        await state.releasePlaces(first)
        expect(countTaken(await state.takePlaces(placesOf(9, { bytes: 100 }), FOR_LONG))).toBe(1)
      })
    })

    describe('ending', () => {
      it('forgets places whose lease has ended, before it takes', async () => {
        const state = await open({ perTenant: 240, totalJobs: 60, totalBytes: 6000 })
        const places = placesOf(60, { bytes: 100 })
        expect(countTaken(await state.takePlaces(places, FOR_SHORT))).toBe(60)
        await harness.pass(SHORT_MS)
        expect(countTaken(await state.takePlaces(places, FOR_LONG))).toBe(60)
        expect(await state.takePlaces([placeOf({ bytes: 100 })], FOR_LONG)).toEqual([false])
      })

      it('keeps those whose lease goes on', async () => {
        const state = await open({ perTenant: 8 })
        await state.takePlaces(placesOf(4), FOR_LONG)
        await state.takePlaces(placesOf(4), FOR_SHORT)
        await harness.pass(SHORT_MS)
        expect(countTaken(await state.takePlaces(placesOf(8), FOR_LONG))).toBe(4)
      })

      it('frees nothing twice when a place is given back after its end', async () => {
        const state = await open({ perTenant: 240, totalJobs: 60, totalBytes: 6000 })
        const ended = placesOf(10, { bytes: 100 })
        await state.takePlaces(ended, FOR_SHORT)
        await harness.pass(SHORT_MS)
        await state.takePlaces(placesOf(60, { bytes: 100 }), FOR_LONG)
        await state.releasePlaces(ended)
        expect(await state.takePlaces([placeOf({ bytes: 100 })], FOR_LONG)).toEqual([false])
      })

      it('is not put off by another who asks for the same', async () => {
        const state = await open({ totalJobs: 62 })
        await state.takePlaces([placeOf()], FOR_LONG)
        const places = placesOf(60)
        await state.takePlaces(places, { ...FOR_LONG, expiresInMs: 300 })
        expect(countTaken(await state.takePlaces(places, FOR_LONG))).toBe(0)
        await harness.pass(300)
        expect(countTaken(await state.takePlaces(placesOf(62), FOR_LONG))).toBe(61)
      })

      it('counts thousands that ended no longer', async () => {
        const state = await open({ totalJobs: 3500 })
        await state.takePlaces(placesOf(3500), FOR_SHORT)
        await harness.pass(SHORT_MS)
        expect(countTaken(await state.takePlaces(placesOf(3600), FOR_LONG))).toBe(3500)
      })
    })

    describe('backlogs', () => {
      it('gives a publish no place while its tenant has a backlog in that queue', async () => {
        const state = await open()
        await state.markBacklog('tenant', 'fresh', 600_000)
        expect(await state.takePlaces([placeOf()], YIELDING)).toEqual([false])
        expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
        expect(await state.takePlaces([placeOf({ queue: 'retry' })], YIELDING)).toEqual([true])
        expect(await state.takePlaces([placeOf({ tenantUid: 'other' })], YIELDING)).toEqual([true])
      })

      it('gives places again once the backlog is gone, or its mark has ended', async () => {
        const state = await open()
        await state.markBacklog('tenant', 'fresh', 600_000)
        await state.clearBacklog('tenant', 'fresh')
        expect(await state.takePlaces([placeOf()], YIELDING)).toEqual([true])
        await state.markBacklog('tenant', 'fresh', SHORT_MS)
        await harness.pass(SHORT_MS)
        expect(await state.takePlaces([placeOf()], YIELDING)).toEqual([true])
      })

      it('marks a tenant who is refused, from that place on', async () => {
        const state = await open({ perTenant: 4 })
        const places = ['a', 'a', 'b'].map((destinationUid) => placeOf({ destinationUid }))
        expect(await state.takePlaces(places, YIELDING)).toEqual([true, false, false])
        await state.releasePlaces(places)
        expect(await state.takePlaces(places, YIELDING)).toEqual([false, false, false])
        await state.clearBacklog('tenant', 'fresh')
        expect(await state.takePlaces(places, FOR_LONG)).toEqual([true, false, true])
      })

      it('lets the mark of a refusal end with the lease that was asked for', async () => {
        const state = await open({ perTenant: 1 })
        const place = placeOf()
        await state.takePlaces([place], FOR_LONG)
        await state.takePlaces([placeOf()], { expiresInMs: SHORT_MS, yieldToBacklog: true })
        await state.releasePlaces([place])
        await harness.pass(SHORT_MS)
        expect(await state.takePlaces([place], YIELDING)).toEqual([true])
      })

      it('marks nobody for asking again for what is held', async () => {
        const state = await open()
        const place = placeOf()
        expect(await state.takePlaces([place, place, placeOf()], YIELDING)).toEqual([
          true,
          false,
          true,
        ])
      })

      it('marks nobody who does not yield', async () => {
        const state = await open({ perTenant: 1 })
        const place = placeOf()
        await state.takePlaces([place, placeOf()], FOR_LONG)
        await state.releasePlaces([place])
        expect(await state.takePlaces([placeOf()], YIELDING)).toEqual([true])
      })
    })

    describe('narrowing', () => {
      const both = (['fresh', 'retry', 'fresh', 'retry'] as const).map((queue) =>
        placeOf({ queue, destinationUid: 'slow' }),
      )

      it('gives a narrowed destination so many places over both queues together', async () => {
        const state = await open()
        await state.narrowDestination('slow', 3, 600_000)
        expect(await state.takePlaces(both, FOR_LONG)).toEqual([true, true, true, false])
        expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
      })

      it('counts what it held before, and takes none of it away', async () => {
        const state = await open()
        await state.takePlaces(both, FOR_LONG)
        await state.narrowDestination('slow', 4, 600_000)
        const next = placeOf({ destinationUid: 'slow' })
        expect(await state.takePlaces([next], FOR_LONG)).toEqual([false])
        await state.releasePlaces(both.slice(0, 1))
        expect(await state.takePlaces([next], FOR_LONG)).toEqual([true])
      })

      it('lets the latest word count, and end', async () => {
        const state = await open()
        await state.narrowDestination('slow', 0, 600_000)
        expect(await state.takePlaces(both, FOR_LONG)).toEqual([false, false, false, false])
        await state.narrowDestination('slow', 1, SHORT_MS)
        await harness.pass(SHORT_MS)
        expect(await state.takePlaces(both, FOR_LONG)).toEqual([true, true, true, true])
      })
    })

    describe('announcing', () => {
      it('is heard once by everyone in the process who listens, and no longer', async () => {
        const state = await open()
        const heard: string[] = []
        const stopFirst = state.onAnnouncement((each) => heard.push(`1 ${each.destinationUid}`))
        const stopSecond = state.onAnnouncement((each) => heard.push(`2 ${each.destinationUid}`))
        await state.announce([{ destinationUid: 'a' }, { destinationUid: 'b' }])
        stopFirst()
        await state.announce([{ destinationUid: 'c' }])
        stopSecond()
        await state.announce([{ destinationUid: 'd' }])
        expect(heard).toEqual(['1 a', '2 a', '1 b', '2 b', '2 c'])
      })

      it('goes on when a listener fails, and says so', async () => {
        const log = recordingLog()
        const state = await harness.open(limitsOf(), log)
        const heard: string[] = []
        state.onAnnouncement(() => {
          throw new Error('deaf')
        })
        state.onAnnouncement(({ destinationUid }) => heard.push(destinationUid))
        await state.announce([{ destinationUid: 'a' }])
        expect(heard).toEqual(['a'])
        expect(log.lines).toEqual(['error announcement listener failed'])
      })
    })

    it('answers every sequence of questions as the plain model does', async () => {
      await fc.assert(runwayProperty(harness), { numRuns: harness.numRuns })
    })

    it('stops as often as it is asked to', async () => {
      const state = await open()
      await state.stop()
      await state.stop()
    })
  })
}
