import { createTestDatabase, testRedis, testVhost, waitFor } from '@postrider/testkit'
import { Child } from '../child.ts'
import { bringServersUp } from '../servers.ts'
import { API_KEY, SERVICE_ENVIRONMENT } from '../service-environment.ts'
import { SoakApi } from '../soak/api.ts'
import { Ledger } from '../soak/ledger.ts'
import type { PlannedDestination } from '../soak/plan.ts'
import { Random } from '../soak/random.ts'
import { startTypeServers } from '../soak/servers/type-servers.ts'
import type { TypeServer } from '../soak/type-server.ts'
import { median, printTable } from '../table.ts'

/**
 * `npm run bench:types`: what the SDKs of the clouds cost a deliverer, which loads each of them when it
 * first sends with it: its start, its first deliveries and its memory at rest, after one delivery to
 * each of eight webhooks and after one of each type, in turns.
 */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const TOPIC = 'rest'
const DEADLINE_MS = 30_000

interface Side {
  readonly name: string
  readonly destinations: readonly PlannedDestination[]
  readonly startMs: number[]
  readonly firstMs: number[]
  readonly restBytes: number[]
}

const say = (line: string): void => console.error(`bench: ${line}`)

say('bringing the servers up')
bringServersUp()
await using database = await createTestDatabase()
await using vhost = await testVhost()
const servers: TypeServer[] = []
const children: Child[] = []
try {
  await startTypeServers(new Ledger(), servers)
  const env: Record<string, string> = {
    POSTGRES_URL: database.url,
    RABBITMQ_URL: vhost.url,
    REDIS_URL: testRedis().url,
    ...SERVICE_ENVIRONMENT,
    ...Object.assign({}, ...servers.map((server) => server.env)),
  }
  const service = new Child('service', env)
  children.push(service)
  const url = `http://127.0.0.1:${await service.ask<number>('startApi')}`
  const api = new SoakApi({ url, key: API_KEY, signal: new AbortController().signal })
  const sides = [
    await makeSide(api, 'webhooks', () => 'webhook'),
    await makeSide(api, 'all types', (type) => type),
  ]
  for (let round = 1; round <= ROUNDS; round++) {
    say(`round ${round} of ${ROUNDS}`)
    // Each is first in every other round, so that what drifts favours neither.
    for (const side of round % 2 === 1 ? sides : sides.toReversed()) await measure(side, api, env)
  }
  const [webhooks, all] = sides
  if (webhooks !== undefined && all !== undefined) {
    printTable(`a deliverer at rest, medians of ${ROUNDS} rounds`, [
      ...lines('start, ms', webhooks, all, (side) => median(side.startMs)),
      ...lines(`first ${servers.length} deliveries, ms`, webhooks, all, (side) =>
        median(side.firstMs),
      ),
      ...lines('RSS at rest, MB', webhooks, all, (side) => median(side.restBytes) / 1e6),
    ])
  }
} finally {
  for (const child of children) child.end()
  for (const server of servers) await server.stop()
}

/** A tenant with a destination for each type, and that many whichever types they are made of. */
async function makeSide(
  api: SoakApi,
  name: string,
  typeFor: (type: string) => string,
): Promise<Side> {
  const tenantId = name.replaceAll(' ', '-')
  const byType = new Map(servers.map((server) => [server.type, server]))
  await api.createTenant(tenantId)
  const destinations = servers.map((server, i) => ({
    id: `${tenantId}-${i}`,
    tenantId,
    type: typeFor(server.type),
    topic: TOPIC,
    isIll: false,
  }))
  for (const destination of destinations) {
    const { id, type, isIll } = destination
    const settings = await byType.get(type)?.add({ id, isIll, random: new Random(0) })
    await api.createDestination(destination, settings ?? {})
  }
  return { name, destinations, startMs: [], firstMs: [], restBytes: [] }
}

async function measure(
  { name, destinations, startMs, firstMs, restBytes }: Side,
  api: SoakApi,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const id = `${name.replaceAll(' ', '-')}-${startMs.length}`
  const tenantId = destinations[0]?.tenantId ?? ''
  const startedAt = performance.now()
  const deliverer = new Child('rest/deliverer', env)
  children.push(deliverer)
  await deliverer.ask('start')
  startMs.push(performance.now() - startedAt)

  const publishedAt = performance.now()
  await api.publish({ id, tenantId, topic: TOPIC, data: '{"some":"data"}' })
  const isDelivered = async (destination: PlannedDestination): Promise<boolean> =>
    (await api.deliveries(destination)).some(
      (delivery) => delivery.id === id && delivery.status === 'success',
    )
  for (const destination of destinations) {
    const what = `a delivery of ${id} to ${destination.id}`
    await waitFor(() => isDelivered(destination), { what, deadlineMs: DEADLINE_MS })
  }
  firstMs.push(performance.now() - publishedAt)
  restBytes.push(await deliverer.ask<number>('rest'))
  await deliverer.ask('stop')
  deliverer.end()
}

function lines(
  what: string,
  webhooks: Side,
  all: Side,
  of: (side: Side) => number,
): readonly (readonly [string, string])[] {
  return [
    [`${what}: ${webhooks.name}`, of(webhooks).toFixed(0)],
    [`${what}: ${all.name}`, of(all).toFixed(0)],
    [`${what}: ratio`, (of(all) / of(webhooks)).toFixed(2)],
  ]
}
