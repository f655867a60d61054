import type { StringMap } from '@postrider/common'
import type { DestinationType } from '../destination-type.ts'
import { notYetSender } from '../not-yet-sender.ts'
import { RELAY_DOCUMENT, RELAY_EXAMPLE } from './document.ts'
import { relayTarget } from './target.ts'
import { parseToken } from './token.ts'
import { validateRelay } from './validate.ts'

export function createRelayType(): DestinationType {
  return {
    document: RELAY_DOCUMENT,
    example: RELAY_EXAMPLE,
    validate: validateRelay,
    target: relayTarget,
    ownConfig,
    createSender: () => notYetSender,
  }
}

function ownConfig(credentials: StringMap): StringMap {
  const token = parseToken(credentials['token'] ?? '')
  return token === null ? {} : { source_id: token.sourceId }
}
