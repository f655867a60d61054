import { compile, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath'
import { isError } from '../is-error.ts'
import { checkExpression, type TemplateRoots } from './check-expression.ts'

/** More is no template for a key; it also bounds how deep the parser may go. */
const MAX_LENGTH = 1024

/** A template that cannot be: what is wrong, as a sentence without its subject. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** Makes a text of an event. */
export interface Template {
  /**
   * The text that an event leads to; null when what the template names is not there.
   *
   * @throws {TemplateError} When it is no text, number or boolean, or a part of it is not
   */
  render(input: TemplateInput): string | null
}

/** What paths go into: one member for each root. */
export type TemplateInput = Readonly<Record<string, JSONValue>>

/**
 * Reads a template: a JMESPath expression such as `join('/', [data.account, metadata.region])`.
 *
 * The library is @jmespath-community/jmespath, because it has types, no dependencies, and releases;
 * the last of jmespath itself is of 2022.
 *
 * @throws {TemplateError} When the text is no expression, or none that a template may be
 */
export function compileTemplate(text: string, roots: TemplateRoots): Template {
  if (text.length > MAX_LENGTH) {
    throw new TemplateError(`must be at most ${MAX_LENGTH} characters long`)
  }
  const expression = attempt('is not a JMESPath expression', () => compile(text))
  const fault = checkExpression(expression, roots)
  if (fault !== null) throw new TemplateError(fault)
  return {
    render(input) {
      const value = attempt('fails on this event', () => TreeInterpreter.search(expression, input))
      if (value === null) return null
      if (typeof value === 'object') throw new TemplateError('makes a list or object of this event')
      return String(value)
    },
  }
}

function attempt<T>(what: string, act: () => T): T {
  try {
    return act()
  } catch (cause) {
    const reason = isError(cause) ? cause.message : String(cause)
    throw new TemplateError(`${what}: ${reason}`, { cause })
  }
}

/** The faults of a template in a field, each a sentence that starts with its path. */
export function templateFaults(
  path: string,
  text: string | undefined,
  roots: TemplateRoots,
): string[] {
  if (text === undefined) return []
  try {
    compileTemplate(text, roots)
    return []
  } catch (error) {
    if (error instanceof TemplateError) return [`${path} ${error.message}`]
    throw error
  }
}
