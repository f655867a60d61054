import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The repository's directory. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** One line of progress. */
export function say(line) {
  process.stderr.write(`postrider: ${line}\n`)
}

/** Ends this process with one line for the person who called it. */
export function fail(line) {
  say(line)
  process.exit(1)
}

/**
 * Runs a program in the repository and resolves with its exit code (1 when it was ended by a signal or
 * cannot be run). A SIGTERM that reaches us alone is passed on, so that no child outlives us; Ctrl-C
 * reaches the whole group by itself.
 */
export async function run(program, args, { stdout = 'inherit', env = {} } = {}) {
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', stdout, 'inherit'],
    env: { ...process.env, ...env },
  })
  const passOn = () => child.kill('SIGTERM')
  process.on('SIGTERM', passOn)
  try {
    const [code] = await once(child, 'close')
    return code ?? 1
  } catch (error) {
    say(`${program} cannot be run: ${error.message}`)
    return 1
  } finally {
    process.off('SIGTERM', passOn)
  }
}

/** Runs a program that came with the dependencies. */
export async function runTool(name, args, options) {
  return run(`${root}/node_modules/.bin/${name}`, args, options)
}
