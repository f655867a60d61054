import { bytes, integer, list, parseDecimal, seconds } from '../kinds.ts'
import { listenHost } from './api-settings.ts'

const DAY_SECONDS = 24 * 60 * 60

export const deliverySettings = {
  host: listenHost('DELIVERY_HOST', 'Where a deliverer serves health and metrics'),
  port: integer({
    name: 'DELIVERY_PORT',
    line: 'The port of a deliverer’s health and metrics; 0 takes a free one',
    fallback: 3334,
    min: 0,
    max: 65535,
  }),
  timeoutMs: seconds({
    name: 'DELIVERY_TIMEOUT_SECONDS',
    line: 'How long an attempt may take, from looking up the name to the last byte of the answer',
    fallback: 5,
    min: 0.05,
    max: 300,
    decimals: true,
  }),
  retryIntervalMs: seconds({
    name: 'RETRY_INTERVAL_SECONDS',
    line: 'The wait before the first retry; it doubles with each further one, with up to 10 % of jitter',
    fallback: 30,
    min: 0.01,
    max: DAY_SECONDS,
    decimals: true,
  }),
  maxRetries: integer({
    name: 'MAX_RETRY_LIMIT',
    line: 'How often a failed delivery is retried',
    fallback: 10,
    min: 0,
    max: 100,
  }),
  retryScheduleMs: list({
    name: 'RETRY_SCHEDULE',
    line: 'The wait before each retry, followed exactly; replaces `RETRY_INTERVAL_SECONDS` and `MAX_RETRY_LIMIT`',
    accepts: `seconds, also decimals, 0 to ${30 * DAY_SECONDS}`,
    fallback: [],
    parseEntry: (entry) => parseDecimal(entry, { min: 0, max: 30 * DAY_SECONDS }),
  }),
  leaseMs: seconds({
    name: 'LEASE_SECONDS',
    line: 'How long a job may be out before its delivery is due again; at least 4 × (`DELIVERY_TIMEOUT_SECONDS` + `OUTCOME_GRACE_SECONDS`)',
    fallback: 120,
    min: 0.5,
    max: DAY_SECONDS,
    decimals: true,
  }),
  outcomeGraceMs: seconds({
    name: 'OUTCOME_GRACE_SECONDS',
    line: 'The time allowed for writing an outcome after its attempt has ended',
    fallback: 10,
    min: 0.05,
    max: 300,
    decimals: true,
  }),
  maxAgeMs: seconds({
    name: 'DELIVERY_MAX_AGE_SECONDS',
    line: 'A delivery still open this long after its publish, manual retry or replay ends as failed, `expired`',
    fallback: 7 * DAY_SECONDS,
    min: 1,
    max: 90 * DAY_SECONDS,
  }),
  window: integer({
    name: 'DELIVERY_WINDOW',
    line: 'How many jobs a deliverer holds at once',
    fallback: 1024,
    min: 1,
    max: 65535, // AMQP's prefetch count is 16 bits wide.
  }),
  destinationMaxInFlight: integer({
    name: 'DESTINATION_MAX_IN_FLIGHT',
    line: 'How many requests to one destination a deliverer has open at once',
    fallback: 32,
    min: 1,
    max: 10_000,
  }),
  tenantRunway: integer({
    name: 'TENANT_RUNWAY',
    line: 'How many jobs of a tenant each queue holds; the rest of its backlog waits in Postgres',
    fallback: 2000,
    min: 1,
    max: 1_000_000,
  }),
  brokerRunwayJobs: integer({
    name: 'BROKER_RUNWAY_JOBS',
    line: 'How many jobs of all tenants the broker holds',
    fallback: 50_000,
    min: 1,
    max: 10_000_000,
  }),
  brokerRunwayBytes: bytes({
    name: 'BROKER_RUNWAY_BYTES',
    line: 'How many bytes of jobs of all tenants the broker holds',
    fallback: 512 * 1024 ** 2,
    min: 1024 ** 2,
    max: 1024 ** 4,
  }),
} as const
