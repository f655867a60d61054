/**
 * Text as a header value carries it: visible ASCII and spaces as they are, everything else as
 * percent-encoded UTF-8. So no value can end its line, whatever it holds.
 */
export function headerText(text: string): string {
  return PLAIN.test(text) ? text : text.toWellFormed().replaceAll(NOT_PLAIN, encodeURIComponent)
}

const PLAIN = /^[\x20-\x7e]*$/
const NOT_PLAIN = /[^\x20-\x7e]+/g
