import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeWith } from './describe-with.ts'
import { DEFAULT_VECTORS, STANDARD_VECTORS, VECTORS_PATH } from './vectors.ts'

describeWith('openssl')('the vectors', () => {
  let directory: string

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'postrider-vectors-'))
  })

  afterEach(() => rmSync(directory, { recursive: true }))

  function made(file: string): unknown {
    return JSON.parse(readFileSync(join(directory, file), 'utf8'))
  }

  it('are what openssl makes', () => {
    const script = join(VECTORS_PATH, 'make.sh')
    const { status, stderr } = spawnSync('sh', [script], { cwd: directory, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(made('default-mode.json')).toEqual(DEFAULT_VECTORS)
    expect(made('standard-mode.json')).toEqual(STANDARD_VECTORS)
  })
})
