import { type Piece, scanTemplate, type Token, type TokenKind } from './scan.ts'
import { TemplateError } from './template-error.ts'

/** What a template says, before it is known whether it can be. */
export type Node =
  | { readonly kind: 'text'; readonly text: string; readonly at: number }
  | { readonly kind: 'pipeline'; readonly commands: readonly Command[]; readonly at: number }

/** A value, or a function or method, with its arguments. */
export interface Command {
  readonly operands: readonly [Operand, ...Operand[]]
}

export type Operand =
  | { readonly kind: 'string'; readonly text: string; readonly at: number }
  | { readonly kind: 'function'; readonly name: string; readonly at: number }
  | { readonly kind: 'field'; readonly name: string; readonly at: number }
  /** What stands before the point, and the name after it. */
  | { readonly kind: 'member'; readonly of: Operand; readonly name: string; readonly at: number }
  | { readonly kind: 'pipeline'; readonly commands: readonly Command[]; readonly at: number }

const MAX_DEPTH = 16

/** @throws {TemplateError} When it is not in the syntax of Go's templates, or uses more than ours know */
export function parseTemplate(template: string): readonly Node[] {
  return scanTemplate(template).map((piece) =>
    piece.kind === 'text' ? piece : parseAction(template, piece),
  )
}

function parseAction(template: string, { tokens, at }: Piece & { kind: 'action' }): Node {
  const parser = new Parser(template, tokens)
  const commands = parser.pipeline('end', 0)
  return { kind: 'pipeline', commands, at }
}

class Parser {
  readonly #template: string
  readonly #tokens: readonly Token[]
  #next = 0

  constructor(template: string, tokens: readonly Token[]) {
    this.#template = template
    this.#tokens = tokens
  }

  /** Commands with pipes between them, up to and with the token that ends them. */
  pipeline(closing: TokenKind, depth: number): readonly Command[] {
    const commands: Command[] = []
    for (;;) {
      commands.push(this.#command(depth))
      const token = this.#take()
      if (token.kind === closing) return commands
      if (token.kind === 'end') throw this.#error(token, 'a ) is missing')
      if (token.kind === ')') throw this.#error(token, 'there is no ( to this )')
    }
  }

  #command(depth: number): Command {
    const operands: [Operand, ...Operand[]] = [this.#operand(depth)]
    for (;;) {
      const { kind, isApart } = this.#peek()
      if (kind === '|' || kind === ')' || kind === 'end') return { operands }
      if (!isApart) throw this.#error(this.#peek(), 'a space is missing')
      operands.push(this.#operand(depth))
    }
  }

  #operand(depth: number): Operand {
    let operand = this.#term(depth)
    for (;;) {
      const { kind, text: name, at, isApart } = this.#peek()
      if (kind !== 'field' || isApart) return operand
      this.#take()
      operand = { kind: 'member', of: operand, name, at }
    }
  }

  #term(depth: number): Operand {
    const token = this.#take()
    const { kind, text, at } = token
    switch (kind) {
      case 'string':
        return { kind, text, at }
      case 'word':
        return { kind: 'function', name: text, at }
      case 'field':
        return { kind, name: text, at }
      case '(':
        if (depth === MAX_DEPTH) throw this.#error(token, 'parentheses are nested too deep')
        return { kind: 'pipeline', commands: this.pipeline(')', depth + 1), at }
      case '|':
      case ')':
      case 'end':
        throw this.#error(token, `a value is missing before ${text}`)
    }
  }

  #peek(): Token {
    const token = this.#tokens[this.#next]
    // The last token is `end`, at which everything stops.
    if (token === undefined) throw new TemplateError(this.#template, 0, 'it has no end')
    return token
  }

  #take(): Token {
    const token = this.#peek()
    this.#next++
    return token
  }

  #error({ at }: Token, problem: string): TemplateError {
    return new TemplateError(this.#template, at, problem)
  }
}
