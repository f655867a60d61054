import type { KeyObject } from 'node:crypto'
import type { DeliveryDestination } from '@postrider/common'
import { readCustomHeaders } from './custom-headers.ts'
import { headerText } from '../http/header-text.ts'
import { isReservedHeader } from '../http/reserved-headers.ts'
import { readSecrets } from './secrets.ts'
import type { Signer } from './signer.ts'

/** What all requests to one version of a destination have in common, worked out once. */
export interface PreparedDestination {
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** Names and values in turn: the content type, the user agent, custom headers, delivery metadata. */
  readonly headers: readonly string[]
  /** The lower-case names in `headers` that an event's metadata may replace. */
  readonly replaceable: ReadonlySet<string>
  /** The current key first. */
  readonly keys: readonly ExpiringKey[]
}

export interface ExpiringKey {
  readonly key: KeyObject
  /** Unix milliseconds; the current key's is never. */
  readonly invalidAtMs: number
}

export interface PreparationOptions {
  readonly headerPrefix: string
  readonly userAgent: string
  readonly signer: Signer
}

/** @throws {Error} When the destination's settings are not such as validation lets through */
export function prepareDestination(
  destination: DeliveryDestination,
  { headerPrefix, userAgent, signer }: PreparationOptions,
): PreparedDestination {
  const { config, credentials, deliveryMetadata } = destination
  const url = new URL(config['url'] ?? '')
  // Later entries win: delivery metadata over custom headers.
  const replaceable = new Map<string, string>()
  for (const [name, value] of Object.entries(readCustomHeaders(config))) {
    const lower = name.toLowerCase()
    if (!isReservedHeader(lower, headerPrefix)) replaceable.set(lower, headerText(value))
  }
  for (const [key, value] of Object.entries(deliveryMetadata)) {
    const name = headerPrefix + key.toLowerCase()
    if (!isReservedHeader(name, headerPrefix)) replaceable.set(name, headerText(value))
  }
  const { current, previous } = readSecrets(credentials)
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    headers: [
      'content-type',
      'application/json',
      'user-agent',
      userAgent,
      ...[...replaceable].flat(),
    ],
    replaceable: new Set(replaceable.keys()),
    keys: [
      { key: signer.key(current), invalidAtMs: Number.POSITIVE_INFINITY },
      ...previous.map(({ secret, invalidAt }) => ({
        key: signer.key(secret),
        invalidAtMs: Date.parse(invalidAt),
      })),
    ],
  }
}

/** The keys that sign at a time, the current one first. */
export function keysAt({ keys }: PreparedDestination, nowMs: number): readonly KeyObject[] {
  return keys.filter((each) => each.invalidAtMs > nowMs).map((each) => each.key)
}
