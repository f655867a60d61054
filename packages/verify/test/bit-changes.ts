/** The text with one bit of one of its characters changed. */
export function changeTextBit(text: string, bit: number): string {
  const at = Math.floor(bit / 8) % text.length
  const changed = String.fromCharCode(text.charCodeAt(at) ^ (1 << (bit % 8)))
  return text.slice(0, at) + changed + text.slice(at + 1)
}

export function changeByteBit(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  const at = Math.floor(bit / 8) % bytes.length
  changed[at] = (changed[at] ?? 0) ^ (1 << (bit % 8))
  return changed
}

/** Every text that differs from this one in a single bit of its 8-bit characters. */
export function allTextChanges(text: string): readonly string[] {
  return Array.from({ length: text.length * 8 }, (_, bit) => changeTextBit(text, bit))
}

export function allByteChanges(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: bytes.length * 8 }, (_, bit) => changeByteBit(bytes, bit))
}

/** Every text that differs from this one in a single bit of its UTF-16 code units. */
export function allUnitChanges(text: string): readonly string[] {
  return Array.from({ length: text.length * 16 }, (_, bit) => {
    const at = bit >> 4
    const changed = String.fromCharCode(text.charCodeAt(at) ^ (1 << (bit & 15)))
    return text.slice(0, at) + changed + text.slice(at + 1)
  })
}
