import type { ErrorCode } from '../http/errors.ts'

interface ErrorText {
  /** When the code is given, as the document says it. */
  readonly when: string
  /** A message of the code, for examples. */
  readonly message: string
  /** Sentences about fields, for examples. */
  readonly data?: readonly string[]
}

/** What the document says about each code; docs/errors.md says more. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  invalid_json: {
    when: 'The body is not JSON, not UTF-8, or not the gzip that it says it is.',
    message: 'the body is not JSON',
  },
  unauthorized: {
    when: 'There is no key or token, or it is not valid (any more).',
    message: 'a valid "Authorization: Bearer <key>" header is required',
  },
  forbidden: {
    when: "A tenant's token was used for what is the administrator's, or another tenant's.",
    message: 'the token is for another tenant',
  },
  tenant_not_found: {
    when: 'There is no such tenant.',
    message: 'there is no tenant acme',
  },
  destination_not_found: {
    when: 'The tenant has no such destination.',
    message: 'there is no destination des_orders',
  },
  destination_type_not_found: {
    when: 'There is no such destination type.',
    message: 'there is no destination type pigeon',
  },
  event_not_found: {
    when: 'There is no such event, or it is kept no longer.',
    message: 'there is no event evt_order_1',
  },
  attempt_not_found: {
    when: 'There is no such attempt, or it is kept no longer.',
    message: 'there is no attempt att_1',
  },
  signing_keys_not_found: {
    when: 'There is no such tenant, or it has no signing keys: they are made only with `DESTINATIONS_WEBHOOK_SIGNING=ed25519`.',
    message: 'there are no signing keys of a tenant acme',
  },
  not_found: {
    when: 'The path is none of the API, or its percent-encoding is not UTF-8 text.',
    message: 'no such path',
  },
  method_not_allowed: {
    when: 'The path knows other methods, which are in `Allow`.',
    message: 'this path knows GET, HEAD',
  },
  destination_exists: {
    when: 'The tenant has a destination with this id already.',
    message: 'there is a destination des_orders already',
  },
  event_id_conflict: {
    when: 'An event with this id and another topic or other data was published before.',
    message: 'an event with this id and another topic or other data was published before',
  },
  destination_limit_reached: {
    when: 'The tenant has as many destinations as it may have.',
    message: 'a tenant has at most 20 destinations (MAX_DESTINATIONS_PER_TENANT)',
  },
  destination_disabled: {
    when: 'The destination is disabled: enable it first.',
    message: 'the destination des_orders is disabled',
  },
  payload_too_large: {
    when: 'The body, inflated, or the `data` of an event is over its limit, which the message names.',
    message: 'the body is larger than 1048576 bytes (MAX_REQUEST_BODY_BYTES)',
  },
  unsupported_media_type: {
    when: 'The Content-Type is not JSON in UTF-8, or the Content-Encoding is not gzip.',
    message: 'the Content-Type must be application/json',
  },
  validation_error: {
    when: 'Parameters or body break a rule, or are unknown; `data` has a sentence for each fault.',
    message: 'validation error',
    data: ['colour is not a known parameter'],
  },
  internal_error: {
    when: 'A fault of the service. The `x-request-id` of the answer leads to its log.',
    message: 'internal error',
  },
  unavailable: {
    when: 'The service cannot reach its database, or has too much to do: wait as `Retry-After` says.',
    message: 'the service cannot reach its database, try again later',
  },
}
