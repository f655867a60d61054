import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@postrider/testkit'
import { NameResolver } from '../src/guard/name-resolver.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'

const TENANT = '0192f5c3-a1b2-7abc-8def-0123456789ac'
const OTHER = '0192f5c3-a1b2-7abc-8def-0123456789ad'
const DEAD = Array.from({ length: 100 }, (_, i) => `dead-${i}.example.com`)

describe('name resolver', () => {
  let dns: DnsServer
  let folder: string
  let nowMs: number
  let release: () => void

  beforeEach(async () => {
    nowMs = 0
    const released = new Promise<void>((resolve) => (release = resolve))
    dns = await startDnsServer({
      'hooks.example.com': { a: ['93.184.216.34'], aaaa: ['2606:2800::1'] },
      'long.example.com': { a: ['93.184.216.34'], ttl: 86_400 },
      'never.example.com': { a: ['93.184.216.34'], ttl: 0 },
      'empty.example.com': {},
      'silent.example.com': { after: released },
      'slow.example.com': { a: ['93.184.216.34'], after: released },
      'no-ipv6.example.com': { a: ['93.184.216.34'], silentFor: 'aaaa' },
      ...Object.fromEntries(DEAD.map((name) => [name, { after: released }])),
      'orders.shop.svc.cluster.local': { a: ['10.0.0.7'] },
      'localhost.example.com': { a: ['93.184.216.34'] },
    })
    folder = mkdtempSync(join(tmpdir(), 'resolver-'))
    writeFileSync(join(folder, 'hosts'), '10.0.0.1 db')
    writeFileSync(join(folder, 'resolv.conf'), 'search svc.cluster.local\noptions ndots:5')
  })

  afterEach(async () => {
    release()
    await dns.stop()
    rmSync(folder, { recursive: true })
  })

  function createResolver(resolvConf = 'none'): NameResolver {
    return new NameResolver({
      servers: [dns.address],
      hostsPath: join(folder, 'hosts'),
      resolvConfPath: join(folder, resolvConf),
      nowMs: () => nowMs,
    })
  }

  it('gives all addresses of a name, IPv4 first', async () => {
    expect(await createResolver().resolve('Hooks.Example.com', TENANT)).toEqual({
      addresses: ['93.184.216.34', '2606:2800::1'],
      isOperators: false,
    })
  })

  it('asks nobody for localhost and the names of the hosts file', async () => {
    const resolver = createResolver()

    const loopback = { addresses: ['127.0.0.1', '::1'], isOperators: true }
    expect(await resolver.resolve('localhost', TENANT)).toEqual(loopback)
    expect(await resolver.resolve('app.localhost.', TENANT)).toEqual(loopback)
    expect(await resolver.resolve('DB', TENANT)).toEqual({
      addresses: ['10.0.0.1'],
      isOperators: true,
    })
    expect(dns.asked).toEqual([])
  })

  it('keeps an answer for its TTL, and for a minute at most', async () => {
    const resolver = createResolver()
    const askAt = async (atMs: number, name: string) => {
      nowMs = atMs
      await resolver.resolve(name, TENANT)
      return dns.asked.length
    }

    expect(await askAt(0, 'hooks.example.com')).toBe(1)
    expect(await askAt(29_999, 'hooks.example.com')).toBe(1)
    expect(await askAt(30_000, 'hooks.example.com')).toBe(2)
    expect(await askAt(100_000, 'long.example.com')).toBe(3)
    expect(await askAt(159_999, 'long.example.com')).toBe(3)
    expect(await askAt(160_000, 'long.example.com')).toBe(4)
  })

  it('asks once for a name that many want at the same time, even if it may not be kept', async () => {
    const resolver = createResolver()
    const name = 'never.example.com'

    await Promise.all([
      resolver.resolve(name, TENANT),
      resolver.resolve(name, TENANT),
      resolver.resolve(name, TENANT),
    ])

    expect(dns.asked).toEqual([name])
  })

  it('follows the search list', async () => {
    const resolver = createResolver('resolv.conf')

    expect(await resolver.resolve('orders.shop', TENANT)).toMatchObject({
      addresses: ['10.0.0.7'],
    })
  })

  it.each(['empty.example.com', 'unknown.example.com'])(
    'says dns_error for %s, and does not remember it',
    async (name) => {
      const resolver = createResolver()

      await expect(resolver.resolve(name, TENANT)).rejects.toMatchObject({ code: 'dns_error' })
      await expect(resolver.resolve(name, TENANT)).rejects.toMatchObject({ code: 'dns_error' })
      expect(dns.asked).toEqual([name, name])
    },
  )

  it('gives up on a silent name server after two seconds, and meanwhile answers for other names', async () => {
    const resolver = createResolver()
    const startMs = performance.now()
    const silent = resolver.resolve('silent.example.com', TENANT).catch((error: unknown) => error)

    await resolver.resolve('hooks.example.com', TENANT)
    const otherMs = performance.now() - startMs

    expect(await silent).toMatchObject({ code: 'dns_error' })
    expect(otherMs).toBeLessThan(1500)
    expect(performance.now() - startMs).toBeLessThan(4000)
  })

  it('takes the addresses of one family when questions for the other are never answered', async () => {
    const startMs = performance.now()

    expect(await createResolver().resolve('no-ipv6.example.com', TENANT)).toMatchObject({
      addresses: ['93.184.216.34'],
    })
    expect(performance.now() - startMs).toBeLessThan(1500)
  })

  describe('of a tenant with a hundred dead names', () => {
    let resolver: NameResolver
    let startMs: number
    let deadEnds: Promise<unknown>[]

    beforeEach(async () => {
      resolver = createResolver()
      await resolver.resolve('hooks.example.com', OTHER)
      startMs = performance.now()
      deadEnds = DEAD.map((name) => resolver.resolve(name, TENANT).catch((error: unknown) => error))
    })

    it('has two lookups in flight, and gives up on all of them after two seconds', async () => {
      const ends = await Promise.all(deadEnds)

      expect(ends).toEqual(DEAD.map(() => expect.objectContaining({ code: 'dns_error' })))
      expect(performance.now() - startMs).toBeLessThan(3000)
      expect(new Set(dns.asked.filter((name) => name.startsWith('dead-'))).size).toBe(2)
    })

    it('answers others without delay, also for a name that the tenant waits to ask for', async () => {
      deadEnds.push(resolver.resolve('long.example.com', TENANT).catch((error: unknown) => error))
      await resolver.resolve('long.example.com', OTHER)

      // The tenant's own are over after two seconds.
      expect(performance.now() - startMs).toBeLessThan(1500)
      await Promise.all(deadEnds)
    })

    it('gives the tenant what is known already, and what others are asking for', async () => {
      await resolver.resolve('hooks.example.com', TENANT)
      const others = resolver.resolve('slow.example.com', OTHER)
      await waitFor(() => dns.asked.includes('slow.example.com'), { what: 'the question' })
      const joined = resolver.resolve('slow.example.com', TENANT)
      release()

      expect(await joined).toEqual(await others)
      expect(performance.now() - startMs).toBeLessThan(1500)
      expect(dns.asked.filter((name) => name === 'slow.example.com')).toHaveLength(1)
      await Promise.all(deadEnds)
    })

    it('serves the tenant again when they have ended', async () => {
      await Promise.all(deadEnds)

      expect(await resolver.resolve('long.example.com', TENANT)).toMatchObject({
        addresses: ['93.184.216.34'],
      })
    })
  })
})
