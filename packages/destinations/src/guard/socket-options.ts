import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { AddressGuard } from './address-guard.ts'

/**
 * How long one address of several may take to connect before the next is tried. Node's own 250 ms
 * would give up on healthy receivers on other continents.
 */
const NEXT_ADDRESS_AFTER_MS = 1000

/** Options of a socket that may go to judged addresses only. */
export interface GuardedSocketOptions {
  readonly lookup: LookupFunction
  readonly autoSelectFamily: true
  readonly autoSelectFamilyAttemptTimeout: number
}

/** Sockets that go to these addresses, which have been judged, whatever name they are given. */
export function socketsTo(addresses: readonly string[]): GuardedSocketOptions {
  const found = lookupAddresses(addresses)
  return withLookup((_, __, callback) => callback(null, found))
}

/**
 * Sockets that ask the guard about every name. A socket looks up names only; whoever dials a literal
 * address has to have it judged.
 */
export function guardedSockets(guard: AddressGuard, tenantUid: string): GuardedSocketOptions {
  return withLookup(lookupOf(async (hostname) => guard.resolve(hostname, tenantUid)))
}

/** The lookup of sockets that may try several addresses (`autoSelectFamily`), and so ask for all of them. */
export function lookupOf(
  resolve: (hostname: string) => Promise<readonly string[]>,
): LookupFunction {
  const find = callbackify(async (hostname: string) => lookupAddresses(await resolve(hostname)))
  return (hostname, _, callback) => find(hostname, callback)
}

function withLookup(lookup: LookupFunction): GuardedSocketOptions {
  return {
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  }
}

function lookupAddresses(addresses: readonly string[]) {
  return addresses.map((address) => ({ address, family: isIP(address) }))
}
