import type { AddressGuard } from './address-guard.ts'
import { ConnectFailureError } from './failures.ts'
import { inBrackets } from './host.ts'

/**
 * These addresses of a host, if the operator has named the networks of all of them: only there, where
 * he answers for who listens, is anything said in the clear.
 *
 * @throws {ConnectFailureError} `blocked_address` when one of them is elsewhere
 */
export function operatorsOnly(
  guard: AddressGuard,
  hostname: string,
  addresses: readonly string[],
): readonly string[] {
  if (areOperators(guard, addresses)) return addresses
  const message = `${hostname}: only networks that the operator allows are spoken to without TLS`
  throw new ConnectFailureError('blocked_address', message)
}

/** Whether the operator has named the networks of all these addresses. */
export function areOperators(guard: AddressGuard, addresses: readonly string[]): boolean {
  return addresses.every((address) =>
    guard.mayBeOperators(new URL(`http://${inBrackets(address)}`)),
  )
}
