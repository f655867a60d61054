import type { StringMap } from '@postrider/common'
import type { DestinationType } from '../destination-type.ts'
import { RELAY_DOCUMENT, RELAY_EXAMPLE } from './document.ts'
import { RelaySender, type RelaySenderOptions } from './sender.ts'
import { relayTarget } from './target.ts'
import { parseToken } from './token.ts'
import { validateRelay } from './validate.ts'

export function createRelayType(options: RelaySenderOptions): DestinationType {
  return {
    document: RELAY_DOCUMENT,
    example: RELAY_EXAMPLE,
    validate: validateRelay,
    target: relayTarget,
    ownConfig,
    createSender: () => new RelaySender(options),
  }
}

function ownConfig(credentials: StringMap): StringMap {
  const token = parseToken(credentials['token'] ?? '')
  return token === null ? {} : { source_id: token.sourceId }
}
