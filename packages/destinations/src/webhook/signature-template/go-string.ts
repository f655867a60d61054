const ESCAPE =
  /\\(?:([abfnrtv\\"])|x([0-9A-Fa-f]{2})|([0-7]{3})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))|[^\\]+/gy

const LETTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
}

/**
 * The text that a Go string literal stands for, by its source with the quotes; null when an escape is
 * not Go's, or when the bytes that `\x` and octal escapes make are not UTF-8.
 */
export function goString(literal: string): string | null {
  const inner = literal.slice(1, -1)
  // A raw string means what it says, save for carriage returns, which Go drops.
  if (literal.startsWith('`')) return inner.replaceAll('\r', '')
  const bytes: Buffer[] = []
  let end = 0
  for (const match of inner.matchAll(ESCAPE)) {
    const made = bytesOf(match)
    if (made === null) return null
    bytes.push(made)
    end = match.index + match[0].length
  }
  if (end !== inner.length) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes))
  } catch {
    return null
  }
}

function bytesOf([source, letter, hex, octal, short, long]: RegExpExecArray): Buffer | null {
  if (letter !== undefined) return Buffer.from(LETTERS[letter] ?? '')
  if (hex !== undefined) return Buffer.of(Number.parseInt(hex, 16))
  if (octal !== undefined) {
    const byte = Number.parseInt(octal, 8)
    return byte > 255 ? null : Buffer.of(byte)
  }
  const codePoint = short ?? long
  if (codePoint === undefined) return Buffer.from(source)
  const value = Number.parseInt(codePoint, 16)
  const isCharacter = value <= 0x10ffff && (value < 0xd800 || value > 0xdfff)
  return isCharacter ? Buffer.from(String.fromCodePoint(value)) : null
}
