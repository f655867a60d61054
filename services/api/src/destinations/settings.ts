import { isDeepStrictEqual } from 'node:util'
import type { StringMap } from '@postrider/common'
import {
  type CredentialChange,
  type DestinationSettings,
  type DestinationType,
  isMask,
  isMaskOf,
  validateSettings,
} from '@postrider/destinations'
import { validationError } from '../http/errors.ts'
import type { Caller } from '../http/route.ts'

/** Null removes a member, anything else replaces it. */
export type FieldsPatch = Readonly<Record<string, string | null>>

/** What a caller asks config and credentials to become. */
export interface SettingsChange {
  /** As they are stored; null when the destination is being made. */
  readonly stored: DestinationSettings | null
  /** What config shall be as a whole; of no account when the type makes its own. */
  readonly config: StringMap
  /** A merge patch; null removes all. */
  readonly credentials: FieldsPatch | null
  readonly caller: Caller
  readonly nowMs: number
  /** Of a type that makes its own config: what was learned when the credentials were verified. */
  readonly learned?: StringMap
}

/**
 * Config and credentials as they are to be stored.
 *
 * @throws {ApiError} validation_error, with all faults that the type finds
 */
export function settleSettings(type: DestinationType, change: SettingsChange): DestinationSettings {
  const { config, nowMs } = change
  const stored = change.stored?.credentials ?? null
  const inForce = stored === null ? {} : currentCredentials(type, stored, nowMs)
  const shown = fieldsOf(type, inForce)
  const { patch, faults } = withoutMasks(type, change.credentials ?? removalOf(shown), shown)
  const asked = { config, credentials: applyPatch(shown, patch) }
  faults.push(...validateSettings(type, asked))
  if (faults.length > 0) throw validationError(faults)
  const byTenant = change.caller.kind === 'tenant'
  const settled = settle(type, { stored, patch, byTenant, nowMs })
  // What is no longer in force may still be stored; to clear it away is no change that anybody made.
  const isUnchanged = isDeepStrictEqual(currentCredentials(type, settled, nowMs), inForce)
  const credentials = stored !== null && isUnchanged ? stored : settled
  if (type.ownConfig === undefined) return { config, credentials }
  // What was learned of credentials stays with them.
  return change.stored !== null && isUnchanged
    ? change.stored
    : { config: { ...type.ownConfig(credentials), ...change.learned }, credentials }
}

/**
 * What the issuer of new credentials says of them, where the type asks it.
 *
 * @throws {ApiError} validation_error, when it refuses them
 */
export async function verifyCredentials(
  type: DestinationType,
  given: FieldsPatch | null | undefined,
  tenantId: string,
): Promise<StringMap> {
  const isNew = Object.values(given ?? {}).some((value) => value !== null && !isMask(value))
  if (type.verify === undefined || !isNew) return {}
  const { faults, config } = await type.verify(applyPatch({}, given ?? {}), tenantId)
  if (faults.length > 0) throw validationError(faults)
  return config
}

/** Credentials without what is no longer in force, such as secrets whose time is over. */
export function currentCredentials(
  type: DestinationType,
  credentials: StringMap,
  nowMs: number,
): StringMap {
  return { ...(type.currentCredentials?.(credentials, nowMs) ?? credentials) }
}

/** The merge patch of a flat object (RFC 7396): null removes a member, anything else replaces it. */
export function applyPatch(current: StringMap, patch: FieldsPatch): StringMap {
  const merged = new Map(Object.entries(current))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}

/** A patch that removes every member. */
function removalOf(map: StringMap): FieldsPatch {
  return Object.fromEntries(Object.keys(map).map((key) => [key, null]))
}

function settle(type: DestinationType, change: CredentialChange): StringMap {
  if (type.settleCredentials === undefined) return applyPatch(change.stored ?? {}, change.patch)
  const settled = type.settleCredentials(change)
  if (settled.kind === 'refused') throw validationError(settled.faults)
  return settled.credentials
}

/** The members that callers know of; a type may keep others besides. */
function fieldsOf({ document }: DestinationType, credentials: StringMap): StringMap {
  const known = new Set(document.credential_fields.map((field) => field.key))
  return Object.fromEntries(Object.entries(credentials).filter(([key]) => known.has(key)))
}

/** The patch without sensitive members that came back as they were shown: those are to stay. */
function withoutMasks(
  { document }: DestinationType,
  patch: FieldsPatch,
  current: StringMap,
): { patch: FieldsPatch; faults: string[] } {
  const faults: string[] = []
  const rest = new Map(Object.entries(patch))
  for (const { key, sensitive } of document.credential_fields) {
    const value = rest.get(key)
    if (sensitive !== true || typeof value !== 'string') continue
    const stored = current[key]
    if (stored !== undefined && isMaskOf(value, stored)) rest.delete(key)
    else if (isMask(value)) faults.push(`credentials.${key} is masked: give the value itself`)
  }
  return { patch: Object.fromEntries(rest), faults }
}
