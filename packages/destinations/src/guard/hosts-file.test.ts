import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostsReader, parseHosts } from './hosts-file.ts'

describe('hosts file', () => {
  it('gives every name of a line its address, and a name of two lines both', () => {
    const hosts = parseHosts(`
# comment
127.0.0.1   localhost
10.0.0.1\tDB db.internal # the database
fd00::1     db
not-an-address name
`)

    expect(Object.fromEntries(hosts)).toEqual({
      localhost: ['127.0.0.1'],
      db: ['10.0.0.1', 'fd00::1'],
      'db.internal': ['10.0.0.1'],
    })
  })

  it('is read again when what was read is half a minute old', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hosts-'))
    const path = join(folder, 'hosts')
    let nowMs = 0
    writeFileSync(path, '10.0.0.1 db')
    const read = hostsReader(path, () => nowMs)

    const first = read().get('db')
    writeFileSync(path, '10.0.0.2 db')
    nowMs = 29_999
    const soon = read().get('db')
    nowMs = 30_000
    const later = read().get('db')
    rmSync(folder, { recursive: true })
    nowMs = 60_000

    expect([first, soon, later, read().get('db')]).toEqual([
      ['10.0.0.1'],
      ['10.0.0.1'],
      ['10.0.0.2'],
      undefined,
    ])
  })
})
