/** A map of strings: how config, credentials and metadata are kept. */
export type StringMap = Readonly<Record<string, string>>

/** A destination as senders and the delivery path need it: immutable, one object per version. */
export interface DeliveryDestination {
  readonly uid: string
  readonly id: string
  readonly tenantUid: string
  readonly tenantId: string
  readonly type: string
  /** Raised by every change; what an outcome that disables must name. */
  readonly version: number
  readonly config: StringMap
  /** Decrypted. Never logged. */
  readonly credentials: StringMap
  readonly deliveryMetadata: StringMap
  readonly topics: readonly string[]
  /**
   * The tenant's own key pairs that sign, the current one first; absent where nobody signs with them.
   */
  readonly signingKeys?: readonly SigningKey[]
  readonly isDisabled: boolean
}

/** A key pair of a tenant: Ed25519 (RFC 8032). */
export interface SigningKey {
  /** The key's id in the tenant's published set. */
  readonly kid: string
  /** PKCS #8, DER. Never logged. */
  readonly privateKey: Buffer
  /** Unix milliseconds by Postgres' clock; null: the current one, which signs until it is rotated. */
  readonly invalidAtMs: number | null
}
