import { newUid } from '@postrider/common'
import { startFaultProxy, testVhost, waitFor } from '@postrider/testkit'
import { connect } from 'amqplib'
import type { AttemptAnswer, Client, PagedAnswer } from '../client.ts'
import { startTypeService } from './type-service.ts'

const EVENTS = 1000
const CUTS = 5
const PUBLISHERS = 8
const QUEUE = 'inbox'
const DEADLINE_MS = 60_000
/** How a confirm begins on the wire. */
const BASIC_ACK = Buffer.from([0, 60, 0, 80])

describe('a tenant’s RabbitMQ whose connection is killed in the middle of 1 000 deliveries', () => {
  it('gets all of them, and the attempts tell what it got', async () => {
    await using vhost = await testVhost()
    await using service = await startTypeService({ RETRY_SCHEDULE: '0.3,0.3,0.5,0.5,1,1,1,1' })
    const { client } = service
    const model = await connect(vhost.url)
    const channel = await model.createChannel()
    await channel.assertQueue(QUEUE, { durable: false })
    const { port, pathname, username, password } = new URL(vhost.url)
    const proxy = await startFaultProxy({ port: Number(port) })
    const tenant = `tenant-${newUid()}`
    await client.createTenant(tenant)
    await client.createDestination(tenant, {
      type: 'broker_queue',
      topics: ['*'],
      config: { server_url: `127.0.0.1:${proxy.port}${pathname}`, routing_key: QUEUE },
      credentials: {
        username: decodeURIComponent(username),
        password: decodeURIComponent(password),
      },
    })

    const arrivals = new Map<string, number>()
    let arrived = 0
    await channel.consume(
      QUEUE,
      (message) => {
        const id = String(message?.properties.messageId)
        arrivals.set(id, (arrivals.get(id) ?? 0) + 1)
        arrived += 1
      },
      { noAck: true },
    )
    const ids = Array.from({ length: EVENTS }, () => newUid())
    const publishing = publishAll(client, tenant, ids)
    for (let cut = 1; cut <= CUTS; cut++) {
      await waitFor(() => arrived >= (cut * EVENTS) / (CUTS + 1), {
        what: `arrivals before cut ${cut}`,
        deadlineMs: DEADLINE_MS,
      })
      // With a message under way: its confirm is lost.
      await proxy.cutWhen('down', BASIC_ACK)
    }
    await publishing
    const attempts = await waitFor(
      async () => {
        const made = await allAttempts(client, tenant)
        return made.filter(({ status }) => status === 'success').length === EVENTS && made
      },
      { what: 'a success for every event', deadlineMs: DEADLINE_MS },
    )

    expect(arrivals.size).toBe(EVENTS)
    const failures = attempts.filter(({ status }) => status === 'failed')
    expect(failures.length).toBeGreaterThan(0)
    expect(failures.filter(({ code }) => code !== 'connection_reset')).toEqual([])
    // A success is there, and nothing is there more often than it was tried.
    expect(arrived).toBeGreaterThanOrEqual(EVENTS)
    expect(arrived).toBeLessThanOrEqual(attempts.length)

    await model.close()
    await proxy.stop()
  }, 150_000)
})

async function publishAll(client: Client, tenant: string, ids: readonly string[]): Promise<void> {
  const left = [...ids]
  const publishOn = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      await client.publish({ tenant_id: tenant, id, topic: 'user.created', data: { n: 1 } })
    }
  }
  await Promise.all(Array.from({ length: PUBLISHERS }, publishOn))
}

async function allAttempts(client: Client, tenant: string): Promise<readonly AttemptAnswer[]> {
  const attempts: AttemptAnswer[] = []
  let next: string | null = ''
  while (next !== null) {
    const cursor: string = next === '' ? '' : `&next=${encodeURIComponent(next)}`
    const { body } = await client.call<PagedAnswer<AttemptAnswer>>(
      'GET',
      `/attempts?tenant_id=${tenant}&limit=1000${cursor}`,
    )
    attempts.push(...body.models)
    next = body.pagination.next
  }
  return attempts
}
