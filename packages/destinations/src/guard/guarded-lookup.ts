import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { AddressGuard } from './address-guard.ts'

/**
 * The lookup of sockets that may try several addresses (`autoSelectFamily`, so that they ask for all of
 * them): judged addresses only. A socket looks up names only; whoever dials a literal address has to
 * have it judged.
 */
export function guardedLookup(guard: AddressGuard, tenantUid: string): LookupFunction {
  const resolve = callbackify(async (hostname: string) => {
    const addresses = await guard.resolve(hostname, tenantUid)
    return addresses.map((address) => ({ address, family: isIP(address) }))
  })
  return (hostname, _, callback) => resolve(hostname, callback)
}
