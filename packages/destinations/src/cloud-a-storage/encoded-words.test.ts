import { encodedWords } from './encoded-words.ts'

/** What a reader of RFC 2047 makes of encoded words. */
function decoded(header: string): string {
  const words = header.split(' ').map((word) => /^=\?UTF-8\?B\?(.*)\?=$/.exec(word)?.[1] ?? '')
  return words.map((base64) => Buffer.from(base64, 'base64').toString('utf8')).join('')
}

describe('encoded words', () => {
  it.each(['Köln', '😀'.repeat(50), '', ' a ', '=?UTF-8?B?YQ==?=', `${'x'.repeat(44)}é`])(
    'say %j',
    (text) => {
      expect(decoded(encodedWords(text))).toBe(text)
    },
  )

  it('have at most 75 characters each, all of them ASCII', () => {
    for (const word of encodedWords('aé😀'.repeat(60)).split(' ')) {
      expect(word).toMatch(/^[!-~]{13,75}$/)
    }
  })
})
