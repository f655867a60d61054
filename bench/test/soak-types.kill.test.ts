import { readSoakOptions } from '../src/soak/options.ts'
import { resultTable } from '../src/soak/result.ts'
import { runSoak } from '../src/soak/run-soak.ts'

describe('npm run soak:types', () => {
  it('ends every delivery truthfully, and loses and doubles none, while a tenth of the servers fail', async () => {
    // A twentieth of what the command does by itself; small types have an ill server all the same.
    const sizes = { SOAK_EVENTS: '1000', SOAK_DESTINATIONS: '80', SOAK_LIMIT_SECONDS: '90' }
    const options = readSoakOptions(sizes, Date.now() % 2 ** 29)
    const said: string[] = []
    const result = await runSoak({
      options,
      say: (line) => said.push(line),
      signal: new AbortController().signal,
    })

    // With the seed, the table and the way there: a run is not easily had again.
    const story = [`SOAK_SEED=${options.seed}`, ...said, resultTable(result)].join('\n')
    expect({ story, problems: result.problems.slice(0, 20) }).toEqual({ story, problems: [] })
    expect(result.rows.every(({ deliveries, ill }) => deliveries > 0 && ill > 0)).toBe(true)
  }, 120_000)
})
