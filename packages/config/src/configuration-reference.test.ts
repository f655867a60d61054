import { readFileSync } from 'node:fs'
import { configurationReference } from './configuration-reference.ts'
import { table } from './table.ts'

describe('the configuration reference', () => {
  it('is committed as it is generated (scripts/src/generate-config-reference.ts writes it)', () => {
    const committed = new URL('../../../docs/configuration.md', import.meta.url)
    expect(readFileSync(committed, 'utf8')).toBe(configurationReference())
  })

  it('names every variable once', () => {
    const names = Object.values(table).flatMap((group) =>
      Object.values(group).map((setting) => setting.name),
    )
    const rows = [...configurationReference().matchAll(/^\| `([A-Z_]+)`/gm)].map((row) => row[1])
    expect(rows).toEqual(names)
    expect(new Set(names).size).toBe(names.length)
  })
})
