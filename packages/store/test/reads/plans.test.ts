import type { RawBuilder } from 'kysely'
import { newUid } from '@postrider/common'
import {
  attemptRow,
  deliveryRow,
  destinationRow,
  eventRow,
  insertRows,
  startOfToday,
  tenantRow,
} from '@postrider/testkit'
import type { Store } from '../../src/index.ts'
import { attemptCandidates, type AttemptSelection } from '../../src/reads/attempt-candidates.ts'
import { eventCandidates, type EventSelection } from '../../src/reads/event-candidates.ts'
import { readInSnapshot } from '../../src/reads/snapshot.ts'
import type { Walk } from '../../src/reads/walk.ts'
import { openTestStore } from './lists.ts'

const DAY_MS = 86_400_000
const ROWS = 6000

const ANY_EVENT: EventSelection = {
  tenantUids: null,
  destinationUids: null,
  deliveryStatus: null,
  topics: null,
  ids: null,
  status: null,
  bounds: [],
}

const ANY_ATTEMPT: AttemptSelection = {
  tenantUids: null,
  destinationUids: null,
  eventUids: null,
  uids: null,
  topics: null,
  status: null,
  bounds: [],
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Actual Loops'?: number
  readonly Plans?: readonly PlanNode[]
}

const tenants = [tenantRow(), tenantRow()]
const destinations = tenants.map(({ uid }) => destinationRow({ tenantUid: uid }))
const events = Array.from({ length: ROWS }, (_, i) =>
  eventRow({
    tenantUid: tenants[i % 2]?.uid ?? '',
    receivedAt: new Date(startOfToday().getTime() + (i % 3) * DAY_MS),
    time: new Date(startOfToday().getTime() + i),
    topic: i % 100 === 0 ? 'rare' : 'common',
  }),
)
const tenantUids = tenants.map(({ uid }) => uid)
const destinationUids = destinations.map(({ uid }) => uid)
const [oneTenant = ''] = tenantUids
const [oneDestination = ''] = destinationUids

const MIDDLE: Walk = {
  direction: 'desc',
  from: {
    time: new Date(startOfToday().getTime() + ROWS / 2).toISOString(),
    uid: newUid(),
    inclusive: false,
  },
  bounds: [{ operator: 'gte', time: startOfToday() }],
}

/**
 * What a statement reads, as Postgres ran it. The settings are those of every list: nothing here
 * forbids reading tables as a whole.
 */
async function planOf(store: Store, query: RawBuilder<unknown>): Promise<PlanNode[]> {
  return await readInSnapshot(store, async (db) => {
    const compiled = query.compile(db)
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({
      ...compiled,
      sql: `explain (analyze, format json) ${compiled.sql}`,
    })
    return flatten(rows[0]?.['QUERY PLAN'][0].Plan)
  })
}

function flatten(node: PlanNode | undefined): PlanNode[] {
  return node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(flatten)]
}

/**
 * Nodes that sort, or read a table without its index. A table of a few rows, or none, is best read as a
 * whole.
 */
function strays(nodes: readonly PlanNode[]): PlanNode[] {
  return nodes.filter((node) => {
    const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
    return /Sort|Hash/.test(node['Node Type']) || (/Seq|Bitmap/.test(node['Node Type']) && rows > 9)
  })
}

function rowsRead(nodes: readonly PlanNode[], table: string): number {
  return nodes
    .filter((node) => node['Relation Name']?.startsWith(`${table}_`) === true)
    .reduce((sum, node) => sum + (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0), 0)
}

describe.each(['without statistics', 'with statistics'])('a page of a list, %s,', (statistics) => {
  let store: Store & AsyncDisposable

  beforeAll(async () => {
    store = await openTestStore()
    const pool = store.pools.query
    await insertRows(pool, { tenants, destinations, events })
    await insertRows(pool, {
      deliveries: events.map((event, i) =>
        deliveryRow({
          event,
          destinationUid: destinationUids[i % 2] ?? '',
          status: i % 50 < 2 ? 'failed' : 'success',
        }),
      ),
      attempts: events.map((event, i) =>
        attemptRow({ event, destinationUid: destinationUids[i % 2] ?? '', time: event.time }),
      ),
    })
    if (statistics === 'with statistics') await pool.query('analyze')
  })

  afterAll(async () => {
    await store[Symbol.asyncDispose]()
  })

  it.each<[string, Partial<EventSelection>]>([
    ['all events', {}],
    ['a tenant', { tenantUids: [oneTenant] }],
    ['several tenants', { tenantUids }],
    ['a destination', { tenantUids: [oneTenant], destinationUids: [oneDestination] }],
    ['several destinations', { destinationUids }],
    ['failed events of a tenant', { tenantUids: [oneTenant], status: 'failed' }],
    ['failed events of several tenants', { tenantUids, status: 'failed' }],
    ['failed events of all tenants', { status: 'failed' }],
    [
      'what reached a destination',
      { tenantUids: [oneTenant], destinationUids: [oneDestination], deliveryStatus: 'success' },
    ],
  ])('of %s reads of its index little more than it shows', async (_, selection) => {
    const query = eventCandidates({ ...ANY_EVENT, ...selection }, MIDDLE, 20)

    const nodes = await planOf(store, query)

    expect(strays(nodes)).toEqual([])
    expect(rowsRead(nodes, 'events') + rowsRead(nodes, 'deliveries')).toBeLessThan(200)
  })

  it.each<[string, Partial<EventSelection>]>([
    ['a topic', { tenantUids: [oneTenant], topics: ['rare'] }],
    ['a status', { tenantUids: [oneTenant], status: 'success' }],
    ['a status at a destination', { destinationUids: [oneDestination], deliveryStatus: 'failed' }],
    ['a topic at a destination', { destinationUids: [oneDestination], topics: ['rare'] }],
    ['a status in all tenants', { status: 'unmatched' }],
  ])('filtered by %s looks up by key what the index does not say', async (_, selection) => {
    const query = eventCandidates({ ...ANY_EVENT, ...selection }, MIDDLE, 20)

    expect(strays(await planOf(store, query))).toEqual([])
  })

  it.each<[string, Partial<AttemptSelection>]>([
    ['all attempts', {}],
    ['a tenant', { tenantUids: [oneTenant] }],
    ['several tenants', { tenantUids }],
    ['a destination', { tenantUids: [oneTenant], destinationUids: [oneDestination] }],
    ['an event', { eventUids: [events[7]?.uid ?? ''] }],
    ['a topic', { tenantUids: [oneTenant], topics: ['common'] }],
  ])('of attempts of %s reads of its index little more than it shows', async (_, selection) => {
    const parts = { response: true, event: 'with data' } as const
    const query = attemptCandidates({ ...ANY_ATTEMPT, ...selection }, parts, MIDDLE, 20)

    const nodes = await planOf(store, query)

    expect(strays(nodes)).toEqual([])
    expect(rowsRead(nodes, 'attempts')).toBeLessThan(200)
  })

  it('by ids finds its few rows by key before it puts them in order', async () => {
    const ids = [events[3]?.id ?? '', events[4]?.id ?? '']
    const query = eventCandidates({ ...ANY_EVENT, ids }, { ...MIDDLE, from: null }, 20)

    const nodes = await planOf(store, query)

    expect(strays(nodes).filter((node) => node['Node Type'] !== 'Sort')).toEqual([])
    expect(rowsRead(nodes, 'events')).toBeLessThan(10)
  })
})
