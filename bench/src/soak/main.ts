// All destination types at once, against local servers of which a tenth fail at random; compares what
// Postrider says of every delivery with what the servers saw. SOAK_EVENTS (20 000), SOAK_DESTINATIONS
// (200) and SOAK_TENANTS (10) set the size, SOAK_SEED where chance starts, SOAK_LIMIT_SECONDS (570) the
// end in any case. Exit code 0: nothing was lost, doubled or untrue.
import { randomInt } from 'node:crypto'
import { readSoakOptions } from './options.ts'
import { resultTable } from './result.ts'
import { runSoak } from './run-soak.ts'

const SHOWN_PROBLEMS = 20

const interruption = new AbortController()
const interrupt = (): void => interruption.abort(new Error('interrupted'))
process.on('SIGINT', interrupt).on('SIGTERM', interrupt)

const startedAt = performance.now()
const say = (line: string): void => {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.error(`soak: ${seconds.padStart(4)} s  ${line}`)
}
try {
  const options = readSoakOptions(process.env, randomInt(2 ** 29))
  say(`SOAK_EVENTS=${options.events} SOAK_SEED=${options.seed}`)
  const result = await runSoak({ options, say, signal: interruption.signal })
  console.log(`\n${resultTable(result)}`)
  if (result.problems.length > 0) {
    process.exitCode = 1
    console.log(`\n${result.problems.length} differences; the first of them:`)
    for (const problem of result.problems.slice(0, SHOWN_PROBLEMS)) console.log(problem)
  }
} catch (error) {
  const reason = interruption.signal.aborted ? 'interrupted' : (error as Error).message
  console.error(`soak: ${reason}`)
  process.exitCode = 1
} finally {
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
}
