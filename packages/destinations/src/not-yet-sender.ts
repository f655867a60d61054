import type { Sender } from './destination-type.ts'
import { failed } from './send-result.ts'

/**
 * The sender of a type that can be created but not yet sent to: every try fails with a code that says
 * so, and is retried like any other. A type that learns to send stops using it.
 */
export const notYetSender: Sender = {
  send: async () => failed('not_supported_yet'),
  stop: async () => undefined,
}
