import type { Log } from '@postrider/common'
import { Agent, request } from 'undici'
import type { Verification } from '../destination-type.ts'
import { errorCode } from '../failure-code.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { guardedConnector } from '../guard/connector.ts'
import { isError } from '../is-error.ts'
import type { SourceToken } from './token.ts'

const TIMEOUT_MS = 3000
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_NAME_LENGTH = 256
const UNKNOWN: Verification = { faults: [], config: {} }

export interface TokenVerifierOptions {
  readonly guard: AddressGuard
  /** Where the gateway is asked; `{id}` stands for the source's id. */
  readonly url: string
  readonly userAgent: string
  readonly log: Log
}

/**
 * Asks the gateway whether a token is good, and for the name of its source. Only a 4xx about the token
 * refuses it: a gateway that is away or in trouble must not keep tenants from making destinations.
 *
 * @param tenant - whose token it is
 */
export async function verifyToken(
  token: string,
  { sourceId }: SourceToken,
  tenant: string,
  { guard, url, userAgent, log }: TokenVerifierOptions,
): Promise<Verification> {
  const dispatcher = new Agent({
    connect: guardedConnector(guard, { tenantUid: tenant, timeoutMs: TIMEOUT_MS }),
    maxResponseSize: MAX_ANSWER_BYTES,
  })
  try {
    const { statusCode, body } = await request(url.replaceAll('{id}', sourceId), {
      dispatcher,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { 'x-hookdeck-source-token': token, 'user-agent': userAgent },
    })
    const text = await body.text()
    if (REFUSALS.has(statusCode)) {
      return { faults: ['credentials.token is not known to the gateway'], config: {} }
    }
    if (statusCode === 200) return { faults: [], config: nameIn(text) }
    log.warn('the event gateway did not say whether a token is good', { status: statusCode })
  } catch (error) {
    log.warn('the event gateway could not be asked whether a token is good', {
      error_code: isError(error) ? errorCode(error) : '',
    })
  } finally {
    await dispatcher.destroy()
  }
  return UNKNOWN
}

/** Bad token, not allowed, no such source, gone. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 410])

/** The source's name, when the answer has one; it is only for people to read. */
function nameIn(text: string): Verification['config'] {
  try {
    const { name } = (JSON.parse(text) ?? {}) as { readonly name?: unknown }
    if (typeof name === 'string' && name !== '')
      return { source_name: name.slice(0, MAX_NAME_LENGTH) }
  } catch {
    // An answer in another form has no name that we know of.
  }
  return {}
}
