/** So that a word has at most 75 characters, as RFC 2047 wants it: 60 of base64 and 12 around them. */
const MAX_WORD_BYTES = 45

/**
 * A text as RFC 2047 writes it in headers: words of base64, each of whole characters. The spaces between
 * them are no part of the text.
 */
export function encodedWords(text: string): string {
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > MAX_WORD_BYTES) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map(encodedWord).join(' ')
}

function encodedWord(text: string): string {
  return `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`
}
