import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What a child can be asked for, and what it answers. */
export interface Ask {
  readonly id: number
  readonly what: string
  readonly args: unknown
}

interface Reply {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

/**
 * A part of the benchmark in a process of its own, so that its CPU time is its own and it shares no
 * event loop with what it measures.
 */
export class Child {
  readonly #process: ChildProcess
  readonly #waiting = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >()
  #asked = 0

  /** @param name - the module in this folder that answers with `serve` */
  constructor(name: string, env: Readonly<Record<string, string>> = {}) {
    const module = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
    this.#process = fork(module, { env: { ...process.env, ...env } })
    this.#process.on('message', (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id)
      this.#waiting.delete(reply.id)
      if (reply.error === undefined) waiting?.resolve(reply.value)
      else waiting?.reject(new Error(`${name}: ${reply.error}`))
    })
    this.#process.on('exit', (code) => {
      const error = new Error(`${name} ended with code ${code}`)
      for (const { reject } of this.#waiting.values()) reject(error)
    })
  }

  /** Rejects when the child fails, or ends before it has answered. */
  ask<T>(what: string, args: unknown = null): Promise<T> {
    const id = ++this.#asked
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (value) => resolve(value as T), reject })
      this.#process.send({ id, what, args } satisfies Ask)
    })
  }

  end(): void {
    this.#process.kill('SIGKILL')
  }
}

/** Answers what the parent asks, with one function for each question; ends with the parent. */
export function serve(answers: Readonly<Record<string, (args: never) => unknown>>): void {
  process.on('message', (ask: Ask) => {
    void reply(ask) // Reports its own failures to the parent.
  })
  process.on('disconnect', () => process.exit(0))
  const reply = async ({ id, what, args }: Ask): Promise<void> => {
    try {
      const answer = answers[what]
      if (answer === undefined) throw new Error(`nobody answers ${what}`)
      process.send?.({ id, value: await answer(args as never) } satisfies Reply)
    } catch (error) {
      process.send?.({ id, error: String(error) } satisfies Reply)
    }
  }
}

/** CPU time that this process has used, user and system, in microseconds. */
export function cpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
