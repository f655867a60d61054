import type { SendResult } from '../src/destination-type.ts'
import { AddressGuard } from '../src/guard/address-guard.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { ACCEPTED, GUARD_ZONE, REFUSED_NAMES, REFUSED_WHEN_WRITTEN } from './guard-cases.ts'
import { failure } from './results.ts'

const PORT = 4000

/** A type of destination, or a part of one, that a tenant can send somewhere. */
export interface GuardedType {
  /** Sends one event to this place, `host:port`, through this guard; whatever it opens, it closes. */
  readonly send: (guard: AddressGuard, place: string) => Promise<SendResult>
  /**
   * The faults of otherwise good settings with this place, by a guard that allows no network. Null: no
   * setting of a tenant holds it.
   */
  readonly faults: ((place: string) => readonly string[]) | null
}

/**
 * Tries all cases on a type: what is refused is never handed over to be dialled, and what is accepted
 * is, at the judged addresses. Nothing is dialled in either case.
 */
export function describeGuard(name: string, { send, faults }: GuardedType): void {
  describe(`address guard of ${name}`, () => {
    let dns: DnsServer
    let handedOver: Set<string>
    let guard: AddressGuard

    beforeAll(async () => {
      dns = await startDnsServer(GUARD_ZONE)
    })

    afterAll(async () => {
      await dns.stop()
    })

    beforeEach(() => {
      handedOver = new Set()
      guard = new AddressGuard({
        allowedNetworks: [],
        resolver: { servers: [dns.address], hostsPath: 'none', resolvConfPath: 'none' },
        mayDial: (address) => {
          handedOver.add(address)
          return false
        },
      })
    })

    it.each(REFUSED_WHEN_WRITTEN)('does not connect to $host ($why)', async ({ host }) => {
      const result = await send(guard, `${host}:${PORT}`)

      // What does not pass validation may be found unsendable before the guard is asked.
      expect(['blocked_address', 'unsendable']).toContain(result.code)
      expect(result).toEqual(failure(result.code))
      expect([...handedOver]).toEqual([])
    })

    it.each(REFUSED_NAMES)('does not connect to $host ($why): $code', async ({ host, code }) => {
      expect(await send(guard, `${host}:${PORT}`)).toEqual(failure(code))
      expect([...handedOver]).toEqual([])
    })

    it.each(ACCEPTED)('would connect to $host ($why)', async ({ host, addresses }) => {
      expect(await send(guard, `${host}:${PORT}`)).toEqual(failure('blocked_address'))
      expect([...handedOver]).toEqual(addresses)
    })

    it('judges the answer of each lookup: a name that moved inside is refused', async () => {
      await send(guard, `rebinding.test:${PORT}`)
      const before = [...handedOver]
      handedOver.clear()

      expect(await send(guard, `rebinding.test:${PORT}`)).toEqual(failure('blocked_address'))
      expect([before, [...handedOver]]).toEqual([['93.184.216.34'], []])
    })

    if (faults === null) return

    it.each(REFUSED_WHEN_WRITTEN)('does not take $host ($why) when it is written', ({ host }) => {
      const [fault, ...others] = faults(`${host}:${PORT}`)

      expect(fault).toMatch(/^(?:config|credentials)\.\w+ /)
      // Nothing of what a spelling stands for.
      expect(fault).not.toMatch(/127|169|7f00/)
      expect(others).toEqual([])
    })

    it.each([...REFUSED_NAMES, ...ACCEPTED])(
      'takes $host ($why) when it is written',
      ({ host }) => {
        expect(faults(`${host}:${PORT}`)).toEqual([])
      },
    )
  })
}
