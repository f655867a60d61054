import type { StringMap } from '@postrider/common'
import type { DestinationType } from '../destination-type.ts'
import { RELAY_DOCUMENT, RELAY_EXAMPLE } from './document.ts'
import { RelaySender, type RelaySenderOptions } from './sender.ts'
import { relayTarget } from './target.ts'
import { parseToken } from './token.ts'
import { validateRelay } from './validate.ts'
import { verifyToken } from './verify-token.ts'

export interface RelayTypeOptions extends RelaySenderOptions {
  /** Where the gateway is asked whether a token is good; null: it is not asked. */
  readonly verifyUrl: string | null
}

export function createRelayType({ verifyUrl, ...options }: RelayTypeOptions): DestinationType {
  return {
    document: RELAY_DOCUMENT,
    example: RELAY_EXAMPLE,
    validate: validateRelay,
    target: relayTarget,
    ownConfig,
    ...(verifyUrl === null ? {} : { verify: verifierAt(verifyUrl, options) }),
    createSender: () => new RelaySender(options),
  }
}

function verifierAt(
  url: string,
  options: RelaySenderOptions,
): NonNullable<DestinationType['verify']> {
  return async ({ token = '' }, tenant) => {
    const source = parseToken(token)
    return source === null
      ? { faults: [], config: {} }
      : verifyToken(token, source, tenant, { ...options, url })
  }
}

function ownConfig(credentials: StringMap): StringMap {
  const token = parseToken(credentials['token'] ?? '')
  return token === null ? {} : { source_id: token.sourceId }
}
