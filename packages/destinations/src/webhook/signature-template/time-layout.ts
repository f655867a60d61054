/** Writes a time: Unix milliseconds, as UTC. */
export type TimeFormat = (timeMs: number) => string

/** The layouts that there are, in words. */
export const LAYOUTS =
  '"2006-01-02T15:04:05Z07:00", with ".000" or ".999" (one to nine digits) for fractions of a second'

const LAYOUT = /^2006-01-02T15:04:05(?:\.(0{1,9}|9{1,9}))?(Z07:00|Z|-07:00)$/

/**
 * The format of a Go layout for RFC 3339, such as Go's own `RFC3339` and `RFC3339Nano`; null for every
 * other. Zeros write that many digits of the second, nines leave zeros at the end out.
 */
export function timeFormat(layout: string): TimeFormat | null {
  const [match, fraction = '', zone] = LAYOUT.exec(layout) ?? []
  if (match === undefined) return null
  const digits = fraction.length
  const offset = zone === '-07:00' ? '+00:00' : 'Z'
  return (timeMs) => {
    const [seconds = '', millis = ''] = new Date(timeMs).toISOString().slice(0, -1).split('.')
    const written = millis.padEnd(digits, '0').slice(0, digits)
    const kept = fraction.startsWith('9') ? written.replace(/0+$/, '') : written
    return `${seconds}${kept === '' ? '' : '.'}${kept}${offset}`
  }
}
