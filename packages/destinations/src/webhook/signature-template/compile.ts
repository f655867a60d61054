import { type Command, type Operand, parseTemplate } from './parse.ts'
import { TemplateError } from './template-error.ts'
import { LAYOUTS, timeFormat } from './time-layout.ts'
import {
  concatenation,
  constantValue,
  type FieldName,
  FIELDS,
  type Render,
  type Value,
  WORDS,
} from './value.ts'

const HEADER_TEXT = /^[\x20-\x7e]*$/

/** A part of what is signed: a text, or the bytes of the body as they are. */
export type ContentPart = Render | 'body'

/**
 * Compiles the template of what is signed.
 *
 * @throws {TemplateError} When it is not in the grammar of docs/webhook-settings.md
 */
export function compileContentTemplate(template: string): readonly ContentPart[] {
  const compiler = new Compiler(template, {
    fields: ['EventID', 'Topic', 'Timestamp', 'Body'],
    isHeader: false,
  })
  const parts: ContentPart[] = []
  let texts: Value[] = []
  const endText = (): void => {
    if (texts.length > 0) parts.push(concatenation(texts))
    texts = []
  }
  for (const value of compiler.values()) {
    if (value.kind === 'body') {
      endText()
      parts.push('body')
    } else {
      texts.push(value)
    }
  }
  endText()
  return parts
}

/**
 * Compiles the template of the signature header.
 *
 * @throws {TemplateError} When it is not in the grammar of docs/webhook-settings.md, has text that no
 *   header may have, or does not write the signatures
 */
export function compileHeaderTemplate(template: string): Render {
  const compiler = new Compiler(template, {
    fields: ['EventID', 'Topic', 'Timestamp', 'Signatures'],
    isHeader: true,
  })
  const values = compiler.values()
  if (!compiler.used.has('Signatures')) {
    throw new TemplateError(template, 0, 'it does not write .Signatures')
  }
  return concatenation(values)
}

interface Rules {
  readonly fields: readonly FieldName[]
  /** All text in the template must be such as a header may have. */
  readonly isHeader: boolean
}

/** Gives every node of a template its value, and refuses what has none. */
class Compiler {
  /** The fields that the template has. */
  readonly used = new Set<FieldName>()
  readonly #template: string
  readonly #rules: Rules

  constructor(template: string, rules: Rules) {
    this.#template = template
    this.#rules = rules
  }

  /** What the template writes, in order: texts, numbers and the body. */
  values(): readonly Value[] {
    return parseTemplate(this.#template).map((node) => {
      if (node.kind === 'text') return this.#constant(node.text, node.at)
      const value = this.#pipeline(node.commands, node.at)
      if (value.kind === 'time' || value.kind === 'signatures') {
        throw this.#error(node.at, `this is ${WORDS[value.kind]}`)
      }
      return value
    })
  }

  /** Each command gets what the one before it made as its last argument. */
  #pipeline(commands: readonly Command[], at: number): Value {
    let value: Value | null = null
    for (const command of commands) value = this.#command(command, value)
    if (value === null) throw this.#error(at, 'a value is missing')
    return value
  }

  #command({ operands: [first, ...rest] }: Command, piped: Value | null): Value {
    const args = rest.map((operand) => this.#operand(operand))
    if (piped !== null) args.push(piped)
    if (first.kind === 'function') return this.#call(first.name, args, first.at)
    if (first.kind === 'member') return this.#member(first, args)
    if (args.length > 0) throw this.#error(first.at, 'this is no function: it takes no argument')
    return this.#operand(first)
  }

  #operand(operand: Operand): Value {
    switch (operand.kind) {
      case 'string':
        return this.#constant(operand.text, operand.at)
      case 'field':
        return this.#field(operand.name, operand.at)
      case 'member':
        return this.#member(operand, [])
      case 'function':
        return this.#call(operand.name, [], operand.at)
      case 'pipeline':
        return this.#pipeline(operand.commands, operand.at)
    }
  }

  #field(name: string, at: number): Value {
    const known = this.#rules.fields.find((field) => field === name)
    if (known === undefined) {
      const fields = this.#rules.fields.map((field) => `.${field}`).join(', ')
      throw this.#error(at, `there is no field .${name} here, only ${fields}`)
    }
    this.used.add(known)
    return FIELDS[known]
  }

  #member({ of, name, at }: Operand & { kind: 'member' }, args: readonly Value[]): Value {
    const { kind } = this.#operand(of)
    if (kind !== 'time') throw this.#error(at, `there is no .${name} of ${WORDS[kind]}`)
    if (name === 'Format') return this.#format(args, at)
    if (name !== 'Unix' && name !== 'UnixMilli') {
      throw this.#error(
        at,
        `there is no .${name} of .Timestamp, only .Unix, .UnixMilli and .Format`,
      )
    }
    if (args.length > 0) throw this.#error(at, `.${name} takes no argument`)
    return name === 'Unix'
      ? { kind: 'number', render: (message) => message.timestamp }
      : { kind: 'number', render: (message) => String(message.timeMs) }
  }

  #format(args: readonly Value[], at: number): Value {
    const [layout] = args
    const isConstant = layout?.kind === 'text' && layout.constant !== null
    const format = isConstant ? timeFormat(layout.constant ?? '') : null
    if (args.length !== 1 || format === null) {
      throw this.#error(at, `.Format takes one layout of RFC 3339: ${LAYOUTS}`)
    }
    return { kind: 'text', constant: null, render: (message) => format(message.timeMs) }
  }

  #call(name: string, args: readonly Value[], at: number): Value {
    switch (name) {
      case 'join':
        return this.#join(args, at)
      case 'lower':
      case 'upper':
        return this.#mapText(name, args, at)
      default:
        throw this.#error(at, `there is no function ${name}, only join, lower and upper`)
    }
  }

  #join(args: readonly Value[], at: number): Value {
    const [separator, list] = args
    if (args.length !== 2 || separator?.kind !== 'text' || list?.kind !== 'signatures') {
      throw this.#error(at, 'join takes a text and .Signatures: .Signatures | join ","')
    }
    const { render } = separator
    return {
      kind: 'text',
      constant: null,
      render: (message, signatures) => signatures.join(render(message, signatures)),
    }
  }

  #mapText(name: 'lower' | 'upper', args: readonly Value[], at: number): Value {
    const [text] = args
    // Outside ASCII, Go and JavaScript do not agree on every letter; no field has such.
    const isText = text?.kind === 'text' && /^[\0-\x7f]*$/.test(text.constant ?? '')
    if (args.length !== 1 || !isText) throw this.#error(at, `${name} takes one text, in ASCII`)
    const { render, constant } = text
    const map = (from: string): string =>
      name === 'lower' ? from.toLowerCase() : from.toUpperCase()
    if (constant !== null) return constantValue(map(constant))
    return {
      kind: 'text',
      constant: null,
      render: (message, signatures) => map(render(message, signatures)),
    }
  }

  #constant(text: string, at: number): Value {
    if (this.#rules.isHeader && !HEADER_TEXT.test(text)) {
      throw this.#error(at, 'a header takes only visible ASCII characters and spaces')
    }
    return constantValue(text)
  }

  #error(at: number, problem: string): TemplateError {
    return new TemplateError(this.#template, at, problem)
  }
}
