/**
 * Text from outside as Postgres can keep it: without U+0000, which its text type refuses, and
 * without lone surrogates, which are not UTF-8. Both become U+FFFD.
 */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\u0000') ? wellFormed.replaceAll('\u0000', '\uFFFD') : wellFormed
}
