import { table, type Values } from './table.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Problems of values that are good by themselves but not together. */
export function crossFieldProblems(values: Values): string[] {
  return [...leaseProblems(values), ...windowProblems(values), ...standardModeProblems(values)]
}

/** A send and the writing of its outcome must fit well within half of a lease (rule 3 of taking). */
function leaseProblems({ delivery }: Values): string[] {
  const leastMs = 4 * (delivery.timeoutMs + delivery.outcomeGraceMs)
  if (delivery.leaseMs >= leastMs) return []
  return [
    `LEASE_SECONDS must be at least 4 × (DELIVERY_TIMEOUT_SECONDS + OUTCOME_GRACE_SECONDS) = ${leastMs / 1000}, not ${delivery.leaseMs / 1000}`,
  ]
}

/** A second publish is answered from the first event, which must still be there. */
function windowProblems({ api, process }: Values): string[] {
  return api.publishIdempotencyWindowMs > process.retentionDays * DAY_MS
    ? ['PUBLISH_IDEMPOTENCY_WINDOW_SECONDS must not be longer than RETENTION_DAYS']
    : []
}

/** The Standard Webhooks specification fixes what the default mode leaves to the operator. */
function standardModeProblems({ destinations }: Values): string[] {
  if (destinations.mode !== 'standard') {
    return destinations.signing === 'hmac'
      ? []
      : [
          `${table.destinations.signing.name} must be hmac in default mode; ed25519 needs ${table.destinations.mode.name}=standard`,
        ]
  }
  const fixed = [
    'signatureAlgorithm',
    'signatureEncoding',
    'signatureContentTemplate',
    'signatureHeaderTemplate',
  ] as const
  return fixed
    .filter((key) => destinations[key] !== table.destinations[key].fallback)
    .map((key) => `${table.destinations[key].name} must be left at its default in standard mode`)
}
