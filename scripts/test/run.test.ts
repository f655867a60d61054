import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const runner = fileURLToPath(new URL('../run.mjs', import.meta.url))

describe('run.mjs', () => {
  it('answers an unknown command with one line that names those there are', async () => {
    const failure = promisify(execFile)(process.execPath, [runner, 'strat'])

    await expect(failure).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^postrider: Unknown command "strat": one of test, start, .*\n$/,
      ),
    })
  })
})
