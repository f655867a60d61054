import { createHold, type Hold, type Receiver, startReceiver, waitFor } from '@postrider/testkit'
import { Agent } from 'undici'
import { TenantAgents } from '../src/http/tenant-agents.ts'
import type { WebhookSender } from '../src/webhook/sender.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { sendRequest, webhookDestination, webhookSender } from './factories.ts'

describe('agents of tenants', () => {
  const LONG_MS = 60_000
  let receiver: Receiver
  let agents: TenantAgents

  beforeEach(async () => {
    receiver = await startReceiver()
  })

  afterEach(async () => {
    await agents.stop()
    await receiver.stop()
  })

  function open(options: { limit?: number; idleMs?: number } = {}): void {
    agents = new TenantAgents({ create: () => new Agent(), idleMs: LONG_MS, ...options })
  }

  async function request(agent: Agent): Promise<number> {
    const { statusCode, body } = await agent.request({
      origin: receiver.url,
      path: '/',
      method: 'POST',
    })
    await body.dump()
    return statusCode
  }

  it('are one for each tenant, and stay', () => {
    open()
    const a = agents.get('a')

    expect(agents.get('b')).not.toBe(a)
    expect(agents.get('a')).toBe(a)
    expect(agents.size).toBe(2)
  })

  it('are closed when there are too many, the one used longest ago first', () => {
    open({ limit: 2 })
    const [a, b] = [agents.get('a'), agents.get('b')]
    agents.get('a')
    agents.get('c')

    expect([a.closed, b.closed]).toEqual([false, true])
    expect(agents.size).toBe(2)
    expect(agents.get('b')).not.toBe(b)
  })

  it('end what they have begun before they are closed', async () => {
    open({ limit: 1 })
    const hold = createHold()
    receiver.answer({ after: hold.released })
    const answer = request(agents.get('a'))
    await receiver.waitFor(1)
    agents.get('b')
    hold.release()

    expect(await answer).toBe(200)
    await waitFor(() => receiver.openConnections === 0, { what: 'the end of the connection' })
  })

  it('are closed when they were idle for long, and with the last of them the timer', async () => {
    open({ idleMs: 20 })
    const a = agents.get('a')

    await waitFor(() => agents.size === 0, { what: 'the end of an idle agent' })
    expect(a.closed).toBe(true)
    // It begins anew.
    expect(agents.get('a')).not.toBe(a)
    await waitFor(() => agents.size === 0, { what: 'the end of another one' })
  })

  it('are few after a hundred thousand tenants in a row', () => {
    open({ limit: 100 })
    for (let i = 0; i < 100_000; i++) agents.get(String(i))

    expect(agents.size).toBe(100)
  })

  it('are refused once they were stopped, and end what is under way', async () => {
    open()
    receiver.answer({ fault: 'hang' }, { fault: 'hang' })
    const answers = [request(agents.get('a')), request(agents.get('b'))]
    const settled = Promise.allSettled(answers)
    await receiver.waitFor(2)
    await agents.stop()
    await agents.stop()

    expect(await settled).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    expect(() => agents.get('a')).toThrow('stopped')
  })
})

describe('tenants of a webhook sender', () => {
  let receiver: Receiver
  let dns: DnsServer
  let nameKnown: Hold
  let sender: WebhookSender

  beforeEach(async () => {
    receiver = await startReceiver()
    nameKnown = createHold()
    const slow = { a: ['127.0.0.1'], after: nameKnown.released }
    dns = await startDnsServer({
      'shared.test': { a: ['127.0.0.1'] },
      'slow-1.test': slow,
      'slow-2.test': slow,
      'slow-3.test': slow,
    })
    sender = webhookSender({ guard: { resolver: { servers: [dns.address] } } })
  })

  afterEach(async () => {
    nameKnown.release()
    await sender.stop()
    await dns.stop()
    await receiver.stop()
  })

  function send(tenantUid: string, host = 'shared.test') {
    const url = `http://${host}:${receiver.port}`
    return sender.send(sendRequest(webhookDestination(url, { tenantUid })))
  }

  it('share no connection, even to one receiver', async () => {
    for (let i = 0; i < 5; i++) {
      await send('a')
      await send('b')
    }
    const [ofA, ofB] = [new Set<number>(), new Set<number>()]
    receiver.requests.forEach(({ clientPort }, i) => (i % 2 === 0 ? ofA : ofB).add(clientPort))

    expect([...ofA].filter((port) => ofB.has(port))).toEqual([])
    // A connection is free again one turn of the event loop after its answer: two take turns.
    expect(receiver.connections).toBeLessThanOrEqual(4)
  })

  it('have lookups of their own in flight', async () => {
    const names = ['slow-1.test', 'slow-2.test', 'slow-3.test']
    const waiting = names.map((name) => send('a', name))
    await waitFor(() => dns.asked.length === 2, { what: 'two lookups of the first tenant' })

    expect(await send('b')).toMatchObject({ status: 'success' })
    expect(dns.asked).toEqual(['slow-1.test', 'slow-2.test', 'shared.test'])
    nameKnown.release()
    expect(await Promise.all(waiting)).toMatchObject(names.map(() => ({ status: 'success' })))
  })

  it('keep no connection that is idle', async () => {
    await send('a')
    await send('b')
    expect(receiver.openConnections).toBe(2)

    await waitFor(() => receiver.openConnections === 0, { what: 'the end of the connections' })
  })
})
