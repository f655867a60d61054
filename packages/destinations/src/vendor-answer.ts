import { type AttemptResponse, cleanText } from '@postrider/common'

const MAX_NAME_LENGTH = 128
const MAX_MESSAGE_BYTES = 4096

/**
 * What a vendor's service answered to a send that it refused, as it is kept: its own name of the error,
 * and its words. Only for what the service said, never for what an SDK makes of a lost connection: such
 * texts name addresses.
 */
export function vendorAnswer(name: string, message: string): AttemptResponse {
  const words = Buffer.from(message)
  return {
    head: { error: cleanText(name).slice(0, MAX_NAME_LENGTH) },
    body: words.subarray(0, MAX_MESSAGE_BYTES),
    cut: words.length > MAX_MESSAGE_BYTES,
  }
}
