import { readFileSync } from 'node:fs'
import { VERSION } from './version.ts'

describe('the version', () => {
  it('is that of the root package.json', () => {
    const root = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
    expect(JSON.parse(root)).toMatchObject({ version: VERSION })
  })
})
