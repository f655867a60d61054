import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory of its own for one test, removed when the test ends. */
export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'postrider-')))
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      // Helpers of a server that was just killed may still write their last file.
      await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  }
}
