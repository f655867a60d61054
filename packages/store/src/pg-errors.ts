/**
 * What to do about a failure of Postgres, decided once, here, from its SQLSTATE
 * (PostgreSQL documentation, appendix A).
 *
 * - `away`: it cannot be reached, is starting or stopping, or has no room (connections, memory, disk).
 *   Try again later.
 * - `again`: the same work can succeed at once: deadlock, serialisation failure, a statement that ran
 *   into its timeout, a COMMIT whose answer was lost (only for work that may be repeated).
 * - `no-partition`: a row's day has no partition yet. Make it, then again.
 * - `refused`: Postgres understood and refused; the same work will be refused again.
 */
export type PgReaction = 'away' | 'again' | 'no-partition' | 'refused'

const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '25006', // read_only_sql_transaction: it has become a standby
  '25P03', // idle_in_transaction_session_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
])

/** The first two characters of a SQLSTATE. */
const AWAY_CLASSES = new Set([
  '08', // connection exceptions
  '53', // insufficient resources: connections, memory, disk
])

const AGAIN_CODES = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57014', // query_canceled, by statement_timeout
])

/** Messages of the driver for which it has no code. */
const AWAY_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|connection timeout/i

export function reactionTo(error: unknown): PgReaction {
  const { code, message } = describe(error)
  if (code !== null) {
    if (AGAIN_CODES.has(code)) return 'again'
    if (AWAY_CODES.has(code) || AWAY_CLASSES.has(code.slice(0, 2))) return 'away'
    // 23514 is check_violation; a missing partition is reported with it and named in the message.
    if (code === '23514' && message.includes('no partition of relation')) return 'no-partition'
    return 'refused'
  }
  if (AWAY_MESSAGES.test(message)) return 'away'
  // A connection that failed over several addresses comes as one error with the causes inside.
  const { errors } = Object(error) as { errors?: unknown }
  if (Array.isArray(errors) && errors.some((each) => reactionTo(each) === 'away')) return 'away'
  return 'refused'
}

/** Whether the failure says that Postgres cannot be reached now (503, not 500). */
export function isPostgresAway(error: unknown): boolean {
  return reactionTo(error) === 'away'
}

/** Whether a unique index refused the row; `constraint` names which one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code } = describe(error)
  if (code !== '23505') return false
  if (constraint === undefined) return true
  return (error as { constraint?: unknown }).constraint === constraint
}

// By its members, not by `instanceof`: errors of sockets come from another realm wherever code runs in
// a context of its own, as it does under jest.
function describe(error: unknown): { code: string | null; message: string } {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  return {
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : String(error),
  }
}
