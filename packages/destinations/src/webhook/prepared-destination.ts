import type { DeliveryDestination } from '@postrider/common'
import { headerText } from '../http/header-text.ts'
import { isReservedHeader } from '../http/reserved-headers.ts'
import { isHeaderName, readCustomHeaders } from './custom-headers.ts'
import { metadataHeader } from './header-names.ts'
import type { SignatureWriter, Signer } from './signer.ts'

/** What all requests to one version of a destination have in common, worked out once. */
export interface PreparedDestination {
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /**
   * Names and values in turn: the content type, the user agent, custom headers, delivery metadata. An
   * event's metadata may replace those of the last two.
   */
  readonly headers: readonly string[]
  readonly signature: SignatureWriter
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
  const { config, deliveryMetadata } = destination
  const url = new URL(config['url'] ?? '')
  // Later entries win: delivery metadata over custom headers.
  const replaceable = new Map<string, string>()
  for (const [name, value] of Object.entries(readCustomHeaders(config))) {
    if (!isHeaderName(name)) throw new Error('a custom header with a name that is none')
    const lower = name.toLowerCase()
    if (!isReservedHeader(lower, headerPrefix)) replaceable.set(lower, headerText(value))
  }
  for (const [key, value] of Object.entries(deliveryMetadata)) {
    const name = metadataHeader(key, headerPrefix)
    if (name !== null) replaceable.set(name, headerText(value))
  }
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
    signature: signer.prepare(destination),
  }
}
