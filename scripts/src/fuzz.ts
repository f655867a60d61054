// Sends the api of this code thousands of requests made from its OpenAPI document and then mutated, on a
// Postgres of its own: services/api/test/fuzz. FUZZ_REQUESTS (20 000) says how many, FUZZ_SEED where
// chance starts; a run is repeated with the seed that it printed.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { privatePostgres } from '@postrider/testkit'

const ignore = (): void => undefined

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { FUZZ_REQUESTS = '20000', FUZZ_SEED = String(randomInt(2 ** 31)) } = process.env

if (![FUZZ_REQUESTS, FUZZ_SEED].every((text) => /^\d{1,10}$/.test(text))) {
  console.error('fuzz: FUZZ_REQUESTS and FUZZ_SEED must be whole numbers')
  process.exitCode = 1
} else {
  console.error(`fuzz: FUZZ_REQUESTS=${FUZZ_REQUESTS} FUZZ_SEED=${FUZZ_SEED}`)
  await using postgres = await privatePostgres()
  process.exitCode = await fuzz(postgres.url)
}

/** Answers with jest's exit code. Ctrl-C reaches jest by itself and, through its end, us. */
async function fuzz(postgresUrl: string): Promise<number> {
  process.on('SIGINT', ignore)
  const jest = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--selectProjects=main',
      '--testPathPatterns=services/api/test/fuzz',
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, POSTGRES_URL: postgresUrl, FUZZ_REQUESTS, FUZZ_SEED },
    },
  )
  const stop = (): boolean => jest.kill('SIGTERM')
  process.on('SIGTERM', stop)
  const [code] = (await once(jest, 'close')) as [number | null]
  process.off('SIGINT', ignore).off('SIGTERM', stop)
  return code ?? 1
}
