const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/**
 * The time in an RFC 3339 text as Unix milliseconds; what is finer is cut off. Null when the text is
 * none, or names a day or an hour that does not exist. A leap second is the first of the next minute.
 *
 * Stricter than `Date.parse`, which takes much else and rolls 30 February over to March.
 */
export function parseRfc3339(text: string): number | null {
  const match = RFC3339.exec(text)
  if (match === null) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Six
  if (hour > 23 || minute > 59 || second > 60) return null
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  const [fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match.slice(7)
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute))
  const minutes = hour * 60 + minute - offset
  return (
    date.getTime() + (minutes * 60 + second) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
  )
}

type Six = [number, number, number, number, number, number]
