import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTestDatabase } from '@postrider/testkit'
import { API_KEY, openApi } from './open-api.ts'

/** A command of the tour, and what stands below it as its answer, if anything does. */
interface Step {
  readonly command: string
  readonly answer: string | null
}

/** What shows whether an answer is the one that is shown: values differ from run to run. */
interface Outline {
  readonly status: number
  readonly members: readonly string[]
}

describe('docs/api.md', () => {
  it('shows commands that work, with the answers that they get', async () => {
    const tour = await readFile(new URL('../../../docs/api.md', import.meta.url), 'utf8')
    const [setup, ...steps] = stepsOf(tour)
    await using database = await createTestDatabase()
    await using api = openApi({ postgresUrl: database.url })
    const { port } = await api.api.start()

    const answers = await run([
      { command: setup?.command ?? '', answer: null },
      { command: `API=http://127.0.0.1:${port}/api/v1 API_KEY=${API_KEY}`, answer: null },
      ...steps,
    ])

    const shown = steps.filter(({ answer }) => answer !== null)
    expect(shown.length).toBeGreaterThan(12)
    expect(answers).toEqual(
      shown.map(({ command, answer }) => ({ command, ...outlineOf(answer ?? '') })),
    )
  })
})

function stepsOf(tour: string): Step[] {
  const fences = Array.from(tour.matchAll(/^```(sh|http)\n([^]*?)^```$/gm), ([, kind, text]) => ({
    kind,
    text: text ?? '',
  }))
  return fences.flatMap(({ kind, text }, i) => {
    const next = fences[i + 1]
    if (kind !== 'sh') return []
    return [{ command: text, answer: next?.kind === 'http' ? next.text : null }]
  })
}

/** Runs the commands in one shell, and answers with what came of those that have an answer. */
async function run(steps: readonly Step[]): Promise<(Outline & { readonly command: string })[]> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-tour-'))
  try {
    // Curl says its status on the other stream, without a word of it in the commands.
    await writeFile(join(directory, '.curlrc'), String.raw`write-out = "%{stderr}%{http_code}\n"`)
    const script = steps.map(({ command }, i) => `{ ${command}\n} >out.${i} 2>err.${i}`)
    const env = { CURL_HOME: directory, PATH: '/usr/local/bin:/usr/bin:/bin' }
    await promisify(execFile)('bash', ['-c', script.join('\n')], { cwd: directory, env })
    const answers = steps.map(async ({ command, answer }, i) => {
      if (answer === null) return []
      const body = await readFile(join(directory, `out.${i}`), 'utf8')
      const statuses = await readFile(join(directory, `err.${i}`), 'utf8')
      const status = statuses.trim().split('\n').at(-1)
      return [{ command, ...outlineOf(`HTTP/1.1 ${status}\n\n${body}`) }]
    })
    return (await Promise.all(answers)).flat()
  } finally {
    await rm(directory, { recursive: true })
  }
}

function outlineOf(answer: string): Outline {
  const at = answer.indexOf('\n\n')
  const members = Object.keys(JSON.parse(answer.slice(at)) as object)
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? []
  return { status: Number(status), members: members.toSorted() }
}
