const MAX_PAUSE_MS = 24 * 60 * 60 * 1000

// The three forms of an HTTP date (RFC 9110 section 5.6.7), the first the only one still made.
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const RFC_850 = /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [\d ]\d \d{2}:\d{2}:\d{2} \d{4}$/

/**
 * The pause that a Retry-After header asks for, in milliseconds, at most 24 hours; null when it is
 * neither a number of seconds nor an HTTP date. A date that has passed asks for none: 0.
 *
 * @param nowMs - Unix milliseconds that a date is measured against
 */
export function retryAfterMs(value: string, nowMs: number): number | null {
  const text = value.trim()
  const pauseMs = /^\d+$/.test(text) ? Number(text) * 1000 : dateMs(text) - nowMs
  return Number.isNaN(pauseMs) ? null : Math.min(Math.max(pauseMs, 0), MAX_PAUSE_MS)
}

function dateMs(text: string): number {
  if (IMF_FIXDATE.test(text) || RFC_850.test(text)) return Date.parse(text)
  // asctime has no zone and means UTC; without one it would be read as local time.
  return ASCTIME.test(text) ? Date.parse(`${text} GMT`) : Number.NaN
}
