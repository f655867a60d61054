import { errorCode, failureCode } from './failure-code.ts'

/** The codes of the system's errors: everything else in a TLS handshake is about TLS. */
const SYSTEM_ERROR = /^E[A-Z0-9]+$/

/** The code of a connection that could not be made; null when the fault is ours. */
export function dialFailureCode(error: Error, isTls: boolean): string | null {
  const failure = failureCode(error)
  const isOfTls = isTls && failure === 'network_error' && !SYSTEM_ERROR.test(errorCode(error))
  return isOfTls ? 'tls_error' : failure
}
