import { readFile } from 'node:fs/promises'
import { ERROR_CODES, statusOf } from '../src/http/errors.ts'

describe('docs/errors.md', () => {
  it('has every code that an answer can carry, with its status, and no other', async () => {
    const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
    const [, ofAnswers = ''] = page.split('\n## ')
    const rows = ofAnswers.matchAll(/^\| `(\w+)` +\| (\d{3}) +\|/gm)
    const documented = Array.from(rows, ([, code, status]) => `${code} ${status}`)

    const known = ERROR_CODES.map((code) => `${code} ${statusOf(code)}`)
    expect(documented.toSorted()).toEqual(known.toSorted())
  })
})
