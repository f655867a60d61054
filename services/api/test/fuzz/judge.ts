import type { Answer, Contract, Request } from '../contract/contract.ts'
import type { FuzzRequest } from './fuzz-request.ts'

const KEPT_CURSORS = 50

/** Holds answers to what every answer must be, and remembers what there was. */
export class Judge {
  /** The newest that lists gave. */
  readonly cursors: string[] = []
  readonly #contract: Contract
  /** How often each operation gave each status. */
  readonly #counts = new Map<string, Map<number, number>>()

  constructor(contract: Contract) {
    this.#contract = contract
  }

  /** @throws {Error} When the answer is a 5xx, is not documented, or took what the document refuses */
  judge(asked: FuzzRequest, answer: Answer): void {
    const { status, body } = answer
    this.#remember(asked, answer)
    const faults = this.#contract.answerFaults(asked, answer)
    if (status >= 500) faults.push(`it failed with ${status}: ${JSON.stringify(body)}`)
    if (status < 300) {
      const refused = this.#contract.requestFaults(this.#parsed(asked))
      faults.push(...refused.map((fault) => `accepted, though: ${fault}`))
    }
    if (faults.length > 0) throw new Error(`${described(asked)}\n${faults.join('\n')}`)
  }

  /** How often each operation gave each status, one line for each. */
  get report(): string {
    const lines = [...this.#counts].map(([operation, statuses]) => {
      const counts = [...statuses].toSorted(([a], [b]) => a - b)
      return `${operation.padEnd(28)}${counts.map(([status, n]) => `${status}: ${n}`).join(', ')}`
    })
    return `${lines.toSorted((a, b) => (a < b ? -1 : 1)).join('\n')}\n`
  }

  /** The statuses that there were, each once, in order. */
  get statuses(): number[] {
    const all = [...this.#counts.values()].flatMap((counts) => [...counts.keys()])
    return [...new Set(all)].toSorted((a, b) => a - b)
  }

  /** The body of an operation that takes none is not looked at, by the api as by us. */
  #parsed({ method, path, body }: FuzzRequest): Request {
    const takesBody = this.#contract.find({ method, path })?.operation.requestBody !== undefined
    return takesBody && body !== null && body.length > 0
      ? { method, path, body: JSON.parse(body.toString()) as unknown }
      : { method, path }
  }

  #remember(asked: FuzzRequest, { status, body }: Answer): void {
    const operation = this.#contract.find(asked)?.operation.operationId ?? 'no operation'
    const counts = this.#counts.get(operation) ?? new Map<number, number>()
    this.#counts.set(operation, counts.set(status, (counts.get(status) ?? 0) + 1))
    const { pagination } = Object(body) as { pagination?: Record<string, unknown> }
    for (const cursor of [pagination?.['next'], pagination?.['prev']]) {
      if (typeof cursor === 'string') this.cursors.push(cursor)
    }
    this.cursors.splice(0, this.cursors.length - KEPT_CURSORS)
  }
}

function described({ method, path, caller, headers, body }: FuzzRequest): string {
  const text = body === null ? 'without a body' : JSON.stringify(body.toString('latin1'))
  return `${method} ${path} as ${caller} ${JSON.stringify(headers)} ${text.slice(0, 2000)}`
}
