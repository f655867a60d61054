import { randomBytes } from 'node:crypto'
import type { StringMap } from '@postrider/common'

/**
 * The secrets of a webhook, as its credentials hold them:
 *
 * - `secret`: signs, always;
 * - `previous_secret` with `previous_secret_invalid_at`: signs as well until that time;
 * - `older_secrets`: a JSON list of `{"secret", "invalid_at"}`, newest first, for those whose windows
 *   were still open when the secret was rotated again. Internal: no field of the document, so callers
 *   cannot set it and answers do not show it.
 *
 * Which of them sign is decided anew for every request, so that a window ends when it says, with no
 * change to the destination.
 */
export interface WebhookSecrets {
  readonly current: string
  /** Newest first. */
  readonly previous: readonly ExpiringSecret[]
}

export interface ExpiringSecret {
  readonly secret: string
  /** RFC 3339, as it was given. */
  readonly invalidAt: string
}

/** How many secrets sign at once: each costs header space and time in every request. */
export const MAX_SECRETS = 5

/** A new secret, the same form in both modes: `whsec_` and the base64 of 32 random bytes. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

export function readSecrets(credentials: StringMap): WebhookSecrets {
  const { secret, previous_secret, previous_secret_invalid_at, older_secrets } = credentials
  const previous: ExpiringSecret[] = []
  if (previous_secret !== undefined && previous_secret_invalid_at !== undefined) {
    previous.push({ secret: previous_secret, invalidAt: previous_secret_invalid_at })
  }
  // Written by `writeSecrets` alone.
  const older = JSON.parse(older_secrets ?? '[]') as readonly OlderSecret[]
  return {
    current: secret ?? '',
    previous: [
      ...previous,
      ...older.map((each) => ({ secret: each.secret, invalidAt: each.invalid_at })),
    ],
  }
}

/** The credentials that hold these secrets; `readSecrets` is its inverse. */
export function writeSecrets({ current, previous }: WebhookSecrets): StringMap {
  const [newest, ...older] = previous
  if (newest === undefined) return { secret: current }
  const credentials = {
    secret: current,
    previous_secret: newest.secret,
    previous_secret_invalid_at: newest.invalidAt,
  }
  if (older.length === 0) return credentials
  const list: readonly OlderSecret[] = older.map((each) => ({
    secret: each.secret,
    invalid_at: each.invalidAt,
  }))
  return { ...credentials, older_secrets: JSON.stringify(list) }
}

/** The secrets without those whose window has ended. */
export function withoutExpired(
  { current, previous }: WebhookSecrets,
  nowMs: number,
): WebhookSecrets {
  return { current, previous: previous.filter((each) => Date.parse(each.invalidAt) > nowMs) }
}

interface OlderSecret {
  readonly secret: string
  readonly invalid_at: string
}
