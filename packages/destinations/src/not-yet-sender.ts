import type { Sender, SendResult } from './destination-type.ts'

const NOT_YET: SendResult = {
  status: 'failed',
  code: 'not_supported_yet',
  response: null,
  retryAfterMs: null,
  disable: false,
}

/**
 * The sender of a type that can be created but not yet sent to: every try fails with a code that says
 * so, and is retried like any other. A type that learns to send stops using it.
 */
export const notYetSender: Sender = {
  send: async () => NOT_YET,
  stop: async () => undefined,
}
