import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, say } from './process.mjs'

// Without the first flag jest loads everything as CommonJS, which some dependencies are not.
const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
]

/** Runs the tests of one jest project and counts them; a file that cannot run counts as one failure. */
export async function runJest(project, args, env) {
  say(`running tests (${project})`)
  const directory = await mkdtemp(join(tmpdir(), 'postrider-jest-'))
  const report = join(directory, 'report.json')
  try {
    const code = await run(
      process.execPath,
      [
        ...JEST,
        `--selectProjects=${project}`,
        '--passWithNoTests',
        '--json',
        `--outputFile=${report}`,
        // Else it would lie in the temporary directory of this run and be of no use to the next one.
        '--cacheDirectory=.cache/jest',
        ...args,
      ],
      { env, stdout: 'ignore' },
    )
    return await count(report, code)
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function count(report, code) {
  const text = await readFile(report, 'utf8').catch(() => '{}')
  const { numPassedTests = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0 } = JSON.parse(text)
  const failed = numFailedTests + numRuntimeErrorTestSuites
  // Jest also fails for what is no test's fault, such as a crash before the report.
  return { passed: numPassedTests, failed: code === 0 ? failed : Math.max(failed, 1) }
}
