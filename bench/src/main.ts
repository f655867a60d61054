import { createTestDatabase, testRedis, testVhost } from '@postrider/testkit'
import { Client } from 'pg'
import { Child } from './child.ts'
import { bringServersUp } from './servers.ts'
import { API_KEY, SERVICE_ENVIRONMENT } from './service-environment.ts'
import { median, printTable } from './table.ts'

/**
 * `npm run bench`: what a delivery and a publish cost, against their floors, on this machine and in this
 * run. Machines differ and are shared: the ratios are what to look at.
 *
 * (a) delivers due deliveries of 40 tenants with 5 destinations each: the first runways wait in
 * the broker, the rest in Postgres for the scheduler. (b) publishes at full speed while delivering. The
 * floor of a delivery is a bare loop of signed POSTs to the same receiver, paced at the rate that (a)
 * reached; that of a publish is a bare express route under the same load.
 */
const DELIVERIES = Number(process.env['BENCH_DELIVERIES'] ?? 40_000)
const PUBLISHES = Number(process.env['BENCH_PUBLISHES'] ?? 20_000)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const WARM_UP = 20_000
const TENANTS = 40
const DESTINATIONS = 5

const say = (line: string): void => console.error(`bench: ${line}`)

say('bringing the servers up')
bringServersUp()
await using database = await createTestDatabase()
await using vhost = await testVhost()
const env = {
  POSTGRES_URL: database.url,
  RABBITMQ_URL: vhost.url,
  REDIS_URL: testRedis().url,
  ...SERVICE_ENVIRONMENT,
  // Small enough that a part of every round waits in Postgres for the scheduler.
  TENANT_RUNWAY: '500',
}
const postgres = new Client({ connectionString: database.url })
await postgres.connect()

const receiver = new Child('receiver')
const deliverer = new Child('service', env)
const api = new Child('service', env)
const publisher = new Child('publisher')
const floorPost = new Child('floor-post')
const floorRoute = new Child('floor-route')
const children = [receiver, deliverer, api, publisher, floorPost, floorRoute]

try {
  const receiverPort = await receiver.ask<number>('start')
  const apiPort = await api.ask<number>('startApi')
  const routePort = await floorRoute.ask<number>('start')
  const load = { apiKey: API_KEY, tenants: TENANTS, topics: DESTINATIONS, rate: 0 }
  await createTenants(apiPort, receiverPort)

  const publishRates: number[] = []
  const publishCpu: number[] = []
  const deliverRates: number[] = []
  const deliverCpu: number[] = []
  const floorCpu: number[] = []
  const inBroker: number[] = []

  const publish = async (count: number): Promise<{ rate: number; cpuUs: number }> => {
    const before = await api.ask<number>('cpu')
    const rate = await publisher.ask<number>('run', { ...load, port: apiPort, count })
    return { rate, cpuUs: ((await api.ask<number>('cpu')) - before) / count }
  }
  const deliverAll = async (count: number): Promise<{ rate: number; cpuUs: number }> => {
    await receiver.ask('reset')
    const before = await deliverer.ask<number>('cpu')
    const startedAt = performance.now()
    await deliverer.ask('startDelivery')
    await until(async () => (await receiver.ask<number>('count')) >= count)
    const rate = count / ((performance.now() - startedAt) / 1000)
    await until(async () => (await open()) === 0)
    const cpuUs = ((await deliverer.ask<number>('cpu')) - before) / count
    await deliverer.ask('stop')
    return { rate, cpuUs }
  }

  say('warming up')
  await floorPost.ask('run', { port: receiverPort, count: WARM_UP, rate: 0 })
  await publish(WARM_UP)
  let paceOfA = (await deliverAll(WARM_UP)).rate

  for (let round = 1; round <= ROUNDS; round++) {
    say(`round ${round} of ${ROUNDS}: publishing ${DELIVERIES}, then delivering them`)
    const published = await publish(DELIVERIES)
    publishRates.push(published.rate)
    publishCpu.push(published.cpuUs)
    inBroker.push(await leased())
    const floor = await floorPost.ask<{ cpuUs: number }>('run', {
      port: receiverPort,
      count: DELIVERIES,
      rate: paceOfA,
    })
    floorCpu.push(floor.cpuUs)
    const delivered = await deliverAll(DELIVERIES)
    deliverRates.push(delivered.rate)
    deliverCpu.push(delivered.cpuUs)
    paceOfA = delivered.rate
  }

  say('the floor of a publish')
  await publisher.ask('run', { ...load, port: routePort, count: WARM_UP })
  const routeCpu: number[] = []
  const routeRates: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const before = await floorRoute.ask<number>('cpu')
    routeRates.push(await publisher.ask('run', { ...load, port: routePort, count: PUBLISHES }))
    routeCpu.push(((await floorRoute.ask<number>('cpu')) - before) / PUBLISHES)
  }

  say('publish to delivered, at full speed and at a quarter of it')
  await deliverer.ask('startDelivery')
  const together = async (
    rate: number,
  ): Promise<{ published: number; delivered: number; p50Ms: number; p99Ms: number }> => {
    await receiver.ask('reset')
    const startedAt = performance.now()
    const published = await publisher.ask<number>('run', {
      ...load,
      port: apiPort,
      count: PUBLISHES,
      rate,
    })
    await until(async () => (await receiver.ask<number>('count')) >= PUBLISHES)
    const delivered = PUBLISHES / ((performance.now() - startedAt) / 1000)
    const latencies = await receiver.ask<{ p50Ms: number; p99Ms: number }>('latencies')
    return { published, delivered, ...latencies }
  }
  const full = await together(0)
  const calm = await together(full.delivered / 4)
  await deliverer.ask('stop')

  const post = median(floorCpu)
  const route = median(routeCpu)
  printTable(`medians of ${ROUNDS} rounds`, [
    ['(a) deliveries', `${whole(DELIVERIES)}, ${whole(median(inBroker))} of them in the broker`],
    ['(a) deliveries/s', whole(median(deliverRates))],
    ['(a) CPU µs per delivery, deliverer', tenth(median(deliverCpu))],
    ['    floor: CPU µs per bare signed POST', tenth(post)],
    ['    ratio', (median(deliverCpu) / post).toFixed(2)],
    ['publishes/s, api alone', whole(median(publishRates))],
    ['CPU µs per publish, api', tenth(median(publishCpu))],
    ['    floor: CPU µs per bare express route', tenth(route)],
    ['    ratio', (median(publishCpu) / route).toFixed(2)],
    ['    floor: requests/s', whole(median(routeRates))],
    ['(b) publishes/s while delivering', whole(full.published)],
    ['(b) deliveries/s', whole(full.delivered)],
    ['(b) publish → received, p50 / p99 ms', `${full.p50Ms} / ${full.p99Ms}`],
    [`(b) at ${whole(calm.published)}/s, p50 / p99 ms`, `${calm.p50Ms} / ${calm.p99Ms}`],
    ['deliverer RSS MB', whole((await deliverer.ask<number>('memory')) / 1e6)],
  ])
} finally {
  for (const child of children) child.end()
  await postgres.end()
}

function whole(n: number): string {
  return Math.round(n).toLocaleString('en')
}

function tenth(n: number): string {
  return n.toFixed(1)
}

async function createTenants(apiPort: number, receiverPort: number): Promise<void> {
  const call = async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${apiPort}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
  for (let tenant = 0; tenant < TENANTS; tenant++) {
    await call('PUT', `/tenants/tenant-${tenant}`)
    for (let topic = 0; topic < DESTINATIONS; topic++) {
      await call('POST', `/tenants/tenant-${tenant}/destinations`, {
        type: 'webhook',
        topics: [`topic-${topic}`],
        config: { url: `http://127.0.0.1:${receiverPort}/` },
      })
    }
  }
}

async function open(): Promise<number> {
  const { rows } = await postgres.query<{ n: number }>(
    'select count(*)::int as n from deliveries where due_at is not null',
  )
  return rows[0]?.n ?? 0
}

async function leased(): Promise<number> {
  const { rows } = await postgres.query<{ n: number }>(
    'select count(*)::int as n from deliveries where leased',
  )
  return rows[0]?.n ?? 0
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 180_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('a round did not end within three minutes')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
