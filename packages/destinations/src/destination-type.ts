import type { AttemptResponse, DeliveryDestination, StringMap } from '@postrider/common'

/** A field of a type's config or credentials, as the API, the forms and the docs show it. */
export interface TypeField {
  readonly key: string
  readonly type: 'text' | 'checkbox' | 'select' | 'key_value_map' | 'number'
  readonly label: string
  readonly description: string
  readonly required: boolean
  readonly default?: string
  readonly sensitive?: boolean
  readonly min?: number
  readonly max?: number
  readonly minlength?: number
  readonly maxlength?: number
  readonly pattern?: string
  readonly options?: readonly { readonly label: string; readonly value: string }[]
}

/** The document that drives validation, forms and docs of a type (docs/api.md). */
export interface TypeDocument {
  readonly type: string
  readonly label: string
  readonly description: string
  /** Inline SVG. */
  readonly icon: string
  /** Markdown. */
  readonly instructions: string
  readonly config_fields: readonly TypeField[]
  readonly credential_fields: readonly TypeField[]
  readonly setup_link?: { readonly href: string; readonly cta: string }
}

/** Config and credentials as they are to be written. */
export interface DestinationSettings {
  readonly config: StringMap
  readonly credentials: StringMap
}

/** A change of credentials that a caller asks for; its values have already passed validation. */
export interface CredentialChange {
  /** What is stored now, internal members included; null when the destination is being created. */
  readonly stored: StringMap | null
  /** What the caller gave; null removes a member. */
  readonly patch: Readonly<Record<string, string | null>>
  /** The caller is the tenant, not the admin. */
  readonly byTenant: boolean
  /** Unix milliseconds by Postgres' clock. */
  readonly nowMs: number
}

/** What is to be stored, or why the change is refused: sentences that start with the path of the field. */
export type SettledCredentials =
  | { readonly kind: 'settled'; readonly credentials: StringMap }
  | { readonly kind: 'refused'; readonly faults: readonly string[] }

/** What somebody else says of credentials. */
export interface Verification {
  /** Why they are refused: sentences that start with the path of the field. */
  readonly faults: readonly string[]
  /** What was learned, to be kept with the type's own config. */
  readonly config: StringMap
}

/** Where a destination points to, for people. */
export interface Target {
  readonly target: string
  readonly targetUrl: string | null
}

/** What a target is told by. */
export interface TargetSource extends DestinationSettings {
  readonly topics: readonly string[]
}

/** One delivery, ready to be sent. */
export interface SendRequest {
  readonly destination: DeliveryDestination
  readonly eventId: string
  readonly topic: string
  /** The event's time, Unix milliseconds. */
  readonly timeMs: number
  /** Now, Unix milliseconds by Postgres' clock: for signatures that carry the time of the try. */
  readonly attemptTimeMs: number
  readonly metadata: StringMap
  /** The exact bytes of `data`. */
  readonly data: Buffer
  /** Covers everything from name resolution to the last byte of the answer. */
  readonly timeoutMs: number
}

/** What came of a send. A sender never rejects for what the receiver or the tenant did. */
export interface SendResult {
  readonly status: 'success' | 'failed'
  /** HTTP status or documented error code. */
  readonly code: string
  readonly response: AttemptResponse | null
  /** The receiver asked for a pause (Retry-After), in milliseconds; null when it did not. */
  readonly retryAfterMs: number | null
  /** The receiver is gone for good (410): disable the destination. */
  readonly disable: boolean
}

/** Sends for all destinations of one type; owns their connections. */
export interface Sender {
  /**
   * Makes one try. Resolves within the timeout, whatever happens.
   *
   * @throws When the fault is ours, before anything was sent
   */
  send(request: SendRequest): Promise<SendResult>
  /** Closes connections; sends in flight must have ended. Idempotent. */
  stop(): Promise<void>
}

/** A destination type: everything the project knows of it. Nothing else names a type. */
export interface DestinationType {
  readonly document: TypeDocument
  /** Settings that pass validation, for documentation and tests; they lead nowhere. */
  readonly example: DestinationSettings
  /**
   * Faults of settings that already fit the document, each a sentence that starts with the path of
   * the field (`config.url must be …`).
   */
  validate(settings: DestinationSettings): readonly string[]
  target(destination: TargetSource): Target
  /**
   * The config of a type whose callers have none to give: made from these credentials, whatever they
   * sent as config. Default: the callers' own, which the document's fields describe.
   */
  ownConfig?(credentials: StringMap): StringMap
  /**
   * Asks whoever gave them out whether new credentials are good, where that can be asked and the
   * operator wants it. Called before they are written, with what has already passed validation; takes
   * a few seconds at most, and never rejects: who cannot be asked has nothing against them.
   *
   * @param tenant - whose they are
   */
  verify?(credentials: StringMap, tenant: string): Promise<Verification>
  /**
   * What becomes of credentials when a caller changes them, where that takes more than replacing the
   * members that were given: secrets that are generated, rotated, or not for everybody to set.
   * Default: the members replace those that are stored.
   */
  settleCredentials?(change: CredentialChange): SettledCredentials
  /** The credentials without what is no longer in force at this time. Default: all of them. */
  currentCredentials?(credentials: StringMap, nowMs: number): StringMap
  /** A sender with connections of its own; whoever creates it stops it. */
  createSender(): Sender
}
