import { build } from './build.mjs'
import { runJest } from './jest.mjs'
import { runTool, say } from './process.mjs'
import { withServices } from './test-services.mjs'

/** What is checked before the tests, by the name it is announced with. */
const CHECKS = {
  types: () => build(),
  lint: async () => (await runTool('oxlint', [])) === 0,
  format: async () => (await runTool('prettier', ['--check', '--log-level=warn', '.'])) === 0,
  'dead code': async () => (await runTool('knip', [])) === 0,
}

/**
 * The one gate: types, lint, format, dead code, then every test on private servers, which are down
 * again at the end whatever happens. Everything runs even when a part has failed, and each check counts
 * as one test, so that the last line (`N passed, N failed`) tells the whole truth.
 * @param args - Go on to jest, such as a path pattern.
 * @returns The exit code.
 */
export async function runGate(args) {
  // Ctrl-C and SIGTERM end the part that runs; we live on to take the servers down.
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  const { signal } = interruption

  const results = []
  for (const [name, check] of Object.entries(CHECKS)) {
    if (signal.aborted) break
    say(`checking ${name}`)
    const isPassed = await check()
    if (!isPassed) say(`${name}: FAILED`)
    results.push(isPassed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })
  }
  if (!signal.aborted) results.push(...(await runTests(args, signal)))
  if (signal.aborted) results.push({ passed: 0, failed: 1 })

  process.off('SIGINT', interrupt)
  process.off('SIGTERM', interrupt)
  const passed = results.reduce((sum, result) => sum + result.passed, 0)
  const failed = results.reduce((sum, result) => sum + result.failed, 0)
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

async function runTests(args, signal) {
  const results = []
  try {
    const leftovers = await withServices(async (env) => {
      // Tests that kill servers have the machine for themselves; the others wait for servers more than
      // they compute, and may have every core.
      const projects = [
        ['main', '--maxWorkers=100%'],
        ['kill', '--runInBand'],
      ]
      for (const [project, ...options] of projects) {
        if (!signal.aborted) results.push(await runJest(project, [...options, ...args], env))
      }
    })
    if (leftovers.length > 0 && !signal.aborted) {
      say(`tests left servers running: ${leftovers.join(', ')}`)
      results.push({ passed: 0, failed: 1 })
    }
  } catch (error) {
    say(`the test servers cannot be used: ${error.message}`)
    results.push({ passed: 0, failed: 1 })
  }
  return results
}
