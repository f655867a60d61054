/**
 * Why a request is refused, or why a verifier cannot be made. Codes stay the same between versions;
 * messages may not.
 */
export type VerificationErrorCode =
  /** A header that is signed, or that holds the signature, is absent or empty. */
  | 'missing_header'
  /** A header comes twice, so that it cannot be told which one is meant. */
  | 'duplicate_header'
  | 'malformed_id'
  | 'malformed_timestamp'
  | 'malformed_signature'
  /** The timestamp header says something else than the signature's own timestamp. */
  | 'timestamp_mismatch'
  /** The body is not what arrived, such as an object that a framework has already parsed. */
  | 'body_not_raw'
  /** The signed bytes could also be read as those of another id and timestamp. */
  | 'ambiguous_body'
  /** No signature was made with one of the keys over what arrived. */
  | 'no_match'
  /** Signed, but longer ago than is tolerated. */
  | 'timestamp_too_old'
  /** Signed, but further in the future than is tolerated. */
  | 'timestamp_too_new'
  /** Thrown when a verifier is made, never for a request. */
  | 'invalid_secret'
  | 'invalid_public_key'
  | 'invalid_option'

/** The one error of this library. Messages hold neither secrets nor what a request contained. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError'
  readonly code: VerificationErrorCode

  constructor(code: VerificationErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
