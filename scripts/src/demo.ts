// The main job on real input: GitHub's webhook payloads through the HTTP API to receivers that verify
// signatures and fail at first. Ends by itself; exit code 0 says that all of it went as it should.
import { readDemoOptions } from './demo/options.ts'
import { describeResult } from './demo/result.ts'
import { runDemo } from './demo/run-demo.ts'

const interruption = new AbortController()
const interrupt = (): void => interruption.abort(new Error('interrupted'))
process.on('SIGINT', interrupt).on('SIGTERM', interrupt)

const startedAt = performance.now()
const say = (line: string): void => {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(2)
  console.log(`${seconds.padStart(6)} s  ${line}`)
}
try {
  const given = readDemoOptions(process.argv.slice(2))
  const result = await runDemo({ given, say, signal: interruption.signal })
  console.log(describeResult(result))
  if (result.problems.length > 0) process.exitCode = 1
} catch (error) {
  const reason = interruption.signal.aborted ? 'interrupted' : (error as Error).message
  process.stderr.write(`demo: ${reason}\n`)
  process.exitCode = 1
} finally {
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
}
