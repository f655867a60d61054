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
  readonly isDisabled: boolean
}
