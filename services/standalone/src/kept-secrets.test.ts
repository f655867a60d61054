import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataDirectoryError } from './data-directory.ts'
import { keptSecrets } from './kept-secrets.ts'

describe('the secrets of a service that was given none', () => {
  let home: string
  let dataDir: string
  let file: string

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'postrider-secrets-'))
    dataDir = join(home, 'below', '.data')
    file = join(dataDir, 'secrets.json')
  })

  afterEach(async () => {
    await rm(home, { recursive: true })
  })

  it('are made on the first start, long enough to be accepted as settings', () => {
    const { apiKeys, jwtSecret, encryptionSecrets } = keptSecrets(dataDir)
    expect(apiKeys).toEqual([expect.stringMatching(/^pr_[\w-]{32}$/)])
    expect(jwtSecret.length).toBeGreaterThanOrEqual(32)
    expect(encryptionSecrets).toEqual([expect.stringMatching(/^[\w-]{32,}$/)])
  })

  it('are the same on every later start, and others in another directory', () => {
    const secrets = keptSecrets(dataDir)
    expect(keptSecrets(dataDir)).toEqual(secrets)
    expect(keptSecrets(join(home, 'other'))).not.toEqual(secrets)
  })

  it('lie in a file, in a directory, that only the owner can read', async () => {
    keptSecrets(dataDir)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
    expect(await readdir(dataDir)).toEqual(['secrets.json'])
  })

  it('are made in a directory that is there already, and leave its mode alone', async () => {
    await chmod(home, 0o755)
    keptSecrets(home)
    expect((await stat(home)).mode & 0o777).toBe(0o755)
    expect((await stat(join(home, 'secrets.json'))).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['no JSON', 'hello'],
    ['empty', ''],
    ['JSON of something else', '{"apiKeys":[]}'],
    ['JSON but no object', 'null'],
  ])('are not replaced when their file is %s', async (_, text) => {
    keptSecrets(dataDir)
    await writeFile(file, text)
    const start = (): unknown => keptSecrets(dataDir)
    expect(start).toThrow(DataDirectoryError)
    // A line that names the file, without a trace of the parser.
    expect(start).toThrow(/^.*secrets\.json does not hold the secrets that were written to it; .*$/)
  })

  it.each(['/proc/postrider', '/dev/null/postrider'])('cannot be kept in %s', (unusable) => {
    expect(() => keptSecrets(unusable)).toThrow(DataDirectoryError)
    expect(() => keptSecrets(unusable)).toThrow(
      new RegExp(`^the data directory ${unusable} cannot be used: .*$`),
    )
  })

  it('cannot be kept where a file stands in the way', async () => {
    await writeFile(join(home, 'below'), '')
    expect(() => keptSecrets(dataDir)).toThrow(/cannot be used: .*ENOTDIR/)
  })
})
