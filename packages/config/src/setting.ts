/** What reading a value led to; `problem` completes the variable's name to a sentence. */
export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string }

/** One environment variable: how it is read, and its line in docs/configuration.md. */
export interface Setting<T> {
  readonly name: string
  /** What it is for, in one line of Markdown. */
  readonly line: string
  /** Which values it takes, in words. */
  readonly accepts: string
  /** The default in words; empty when there is none. */
  readonly defaultText: string
  /** The value when the variable is not set. */
  readonly fallback: T
  /** A set but empty variable is a value of its own, not the same as none. */
  readonly emptyIsValue: boolean
  parse(text: string): Parsed<T>
}

/** What every kind of setting is told. */
export interface Spec<F> {
  readonly name: string
  readonly line: string
  readonly fallback: F
  /** Said instead of the fallback itself, when that depends on something. */
  readonly defaultText?: string
}

export function accepted<T>(value: T): Parsed<T> {
  return { ok: true, value }
}

export function refused(problem: string): Parsed<never> {
  return { ok: false, problem }
}

/** A value from outside as a sentence can hold it. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
