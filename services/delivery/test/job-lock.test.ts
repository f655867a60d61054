import { waitFor } from '@postrider/testkit'
import { openDelivery, startDelivery } from './running-delivery.ts'
import { ScriptedJobQueue } from './scripted-job-queue.ts'
import { insertDelivery, openWorld, readDelivery, waitForDelivery, type World } from './world.ts'

/** Of two processes with jobs of their own, one delivers from a database (ARCHITECTURE.md, "Modes"). */
describe('deliverers of one database', () => {
  let world: World

  beforeEach(async () => {
    world = await openWorld()
  })

  afterEach(async () => {
    await world[Symbol.asyncDispose]()
  })

  it('take turns when they hold their jobs themselves; the one that waits says who delivers', async () => {
    const first = await startDelivery(world)
    const second = openDelivery(world)
    const started = second.start()
    const line = await second.log.waitFor('waiting for the job lock')
    expect(line['heldBy']).toMatch(/^postrider job lock \(pid \d+, 127\.0\.0\.1, since .+\)$/)
    expect(await second.delivery.readiness()).toMatchObject({
      status: 'unready',
      checks: { job_lock: 'waiting' },
    })
    await first.stop()
    await started
    expect(await second.delivery.readiness()).toMatchObject({
      status: 'ready',
      checks: { job_lock: 'held', postgres: 'ok' },
    })
    const delivery = await insertDelivery(world, { row: { isLeased: false } })
    await waitForDelivery(world, delivery, 'delivered', ({ status }) => status === 'success')
  })

  it('take over the jobs of a predecessor that died, which may have sent them', async () => {
    const delivery = await insertDelivery(world, { dueInMs: 3_600_000 })
    const running = await startDelivery(world)
    await waitForDelivery(world, delivery, 'delivered', ({ status }) => status === 'success')
    expect(await readDelivery(world, delivery)).toMatchObject({ dispatch: 3, attempts: 1 })
    expect(running.log.find('took over the jobs of the process before')).toMatchObject({ count: 1 })
  })

  it('deliver side by side when a broker holds their jobs, and keep out who holds his own', async () => {
    const shared = [new ScriptedJobQueue(), new ScriptedJobQueue()]
    const running = await Promise.all(shared.map((jobs) => startDelivery(world, { jobs })))
    const alone = openDelivery(world)
    const giveUp = new AbortController()
    const started = alone.start(giveUp.signal).catch((error: unknown) => error)
    await alone.log.waitFor('waiting for the job lock')
    for (const { delivery } of running) {
      expect(await delivery.readiness()).toMatchObject({ status: 'ready' })
    }
    giveUp.abort(new Error('asked to stop'))
    expect(await started).toMatchObject({ message: 'asked to stop' })
  })

  it('trust no job until it has won its row when the lock was lost', async () => {
    const jobs = new ScriptedJobQueue()
    jobs.isAway = true
    const running = await startDelivery(world, { jobs })
    await world.store.pools.query.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1`,
      ['postrider job lock'],
    )
    await running.log.waitFor('the job lock is held again')
    await waitFor(async () => (await running.delivery.readiness()).checks['job_lock'] === 'held', {
      what: 'the lock',
    })
    const delivery = await insertDelivery(world)
    jobs.hand(delivery.job)
    // The dispatch after its own: it took its row although its lease is young.
    expect(
      await waitForDelivery(world, delivery, 'delivered', ({ status }) => status === 'success'),
    ).toMatchObject({ dispatch: 2 })
  })
})
