import type { WebhookHeaders } from './request-headers.ts'

/** A request as it arrived. */
export interface WebhookRequest {
  readonly headers: WebhookHeaders
  /**
   * The body before anything has parsed it. Text stands for its UTF-8 bytes; where it was made by
   * decoding, bytes are the safer choice.
   */
  readonly body: string | Uint8Array | ArrayBuffer
}

/** Verifies requests of one mode; may be kept for as long as its keys are good. */
export interface Verifier<Signed> {
  /**
   * Resolves to what the signature vouches for.
   *
   * @throws {VerificationError} When it vouches for nothing
   */
  verify(request: WebhookRequest): Promise<Signed>
}
