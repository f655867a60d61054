import { parseRfc3339, type StringMap } from '@postrider/common'
import type { CredentialChange, SettledCredentials } from '../destination-type.ts'
import type { WebhookSettings } from './settings.ts'
import {
  type ExpiringSecret,
  MAX_SECRETS,
  newSecret,
  readSecrets,
  type WebhookSecrets,
  withoutExpired,
  writeSecrets,
} from './secrets.ts'
import { isStandardSecret, STANDARD_SECRET_RULE } from './standard-secret.ts'

/** How long a secret stays valid after its rotation when the caller does not say. */
const ROTATION_WINDOW_MS = 24 * 60 * 60 * 1000

/** What tenants may send back unchanged, but not change. */
const ADMIN_FIELDS = ['secret', 'previous_secret', 'previous_secret_invalid_at'] as const

/**
 * What becomes of a webhook's secrets (docs/api.md): one is generated
 * when there is none, `rotate_secret` makes the current one the newest previous one, and tenants may
 * do nothing else than rotate. In standard mode a secret that is new must have the form of Standard
 * Webhooks; one that was there before the operator chose that mode may stay.
 */
export function settleWebhookCredentials(
  change: CredentialChange,
  mode: WebhookSettings['mode'],
): SettledCredentials {
  const { stored, nowMs } = change
  const before = stored === null ? null : withoutExpired(readSecrets(stored), nowMs)
  const faults = changeFaults(change, before, mode)
  if (faults.length > 0) return { kind: 'refused', faults }
  const after =
    before !== null && isRotation(change) ? rotated(before, change) : set(before, change)
  const { current, previous } = withoutExpired(after, nowMs)
  const credentials = writeSecrets({ current, previous: previous.slice(0, MAX_SECRETS - 1) })
  return { kind: 'settled', credentials }
}

/** The credentials of a webhook without the secrets whose window has ended. */
export function currentWebhookCredentials(credentials: StringMap, nowMs: number): StringMap {
  return writeSecrets(withoutExpired(readSecrets(credentials), nowMs))
}

function isRotation({ patch }: CredentialChange): boolean {
  return patch['rotate_secret'] === 'true'
}

function changeFaults(
  change: CredentialChange,
  before: WebhookSecrets | null,
  mode: WebhookSettings['mode'],
): string[] {
  const { patch, byTenant } = change
  if (before === null && patch['rotate_secret'] !== undefined) {
    return ['credentials.rotate_secret is only for updates']
  }
  const now = before === null ? {} : writeSecrets(before)
  const changed = ADMIN_FIELDS.filter(
    (key) => patch[key] !== undefined && (patch[key] ?? undefined) !== now[key],
  )
  if (byTenant) {
    return changed
      .filter((key) => key !== 'previous_secret_invalid_at' || !isRotation(change))
      .map((key) => `credentials.${key} is forbidden`)
  }
  if (isRotation(change) && changed.includes('previous_secret')) {
    return ['credentials.previous_secret is set by a rotation: it becomes the current secret']
  }
  const isTimeForNothing =
    !isRotation(change) &&
    typeof patch['previous_secret_invalid_at'] === 'string' &&
    newestPrevious(change, before) === null
  if (isTimeForNothing) {
    return ['credentials.previous_secret_invalid_at needs previous_secret or rotate_secret']
  }
  return mode === 'standard' ? formFaults(changed, patch) : []
}

function formFaults(
  changed: readonly (typeof ADMIN_FIELDS)[number][],
  patch: CredentialChange['patch'],
): string[] {
  return changed
    .filter((key) => key !== 'previous_secret_invalid_at')
    .filter((key) => typeof patch[key] === 'string' && !isStandardSecret(patch[key]))
    .map((key) => `credentials.${key} ${STANDARD_SECRET_RULE}`)
}

function rotated({ current, previous }: WebhookSecrets, change: CredentialChange): WebhookSecrets {
  const { secret } = change.patch
  return {
    current: typeof secret === 'string' && secret !== current ? secret : newSecret(),
    previous: [{ secret: current, invalidAt: invalidAt(change) }, ...previous],
  }
}

/** The secrets with what was given put in their places. */
function set(before: WebhookSecrets | null, change: CredentialChange): WebhookSecrets {
  const { secret } = change.patch
  const kept = secret === undefined ? before?.current : secret
  const newest = newestPrevious(change, before)
  const older = before?.previous.slice(1) ?? []
  return {
    current: kept ?? newSecret(),
    previous: newest === null ? older : [newest, ...older],
  }
}

/** The newest previous secret after a change that is no rotation. */
function newestPrevious(
  change: CredentialChange,
  before: WebhookSecrets | null,
): ExpiringSecret | null {
  const { previous_secret, previous_secret_invalid_at } = change.patch
  const stored = before?.previous[0] ?? null
  const secret = previous_secret === undefined ? (stored?.secret ?? null) : previous_secret
  if (secret === null) return null
  const isSame = secret === stored?.secret && previous_secret_invalid_at === undefined
  return isSame ? stored : { secret, invalidAt: invalidAt(change) }
}

function invalidAt({ patch, nowMs }: CredentialChange): string {
  const time = patch['previous_secret_invalid_at']
  // A time that is none is a fault of validation; it must not become one of ours here.
  const timeMs = typeof time === 'string' ? parseRfc3339(time) : null
  return new Date(timeMs ?? nowMs + ROTATION_WINDOW_MS).toISOString()
}
