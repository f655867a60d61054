import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface CertificateFile {
  readonly path: string
  remove(): Promise<void>
}

/** A file with this text, in a directory of its own. */
export async function writeCertificateFile(text: string): Promise<CertificateFile> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-ca-'))
  const path = join(directory, 'extra.pem')
  await writeFile(path, text)
  return { path, remove: () => rm(directory, { recursive: true }) }
}
