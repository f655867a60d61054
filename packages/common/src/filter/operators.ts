import { isEqual } from './json.ts'
import type { Path, Report } from './problems.ts'

/** Whether a value of an event satisfies a condition; undefined is a key that is missing. */
export type Predicate = (value: unknown) => boolean

/** Compiles a condition that stands inside another one. */
export type Compile = (condition: unknown, path: Path, report: Report) => Predicate

/** Compiles an operator's operand, or reports what is wrong with it. */
type Operator = (operand: unknown, path: Path, report: Report, compile: Compile) => Predicate

/** Stands for what was reported. */
export const nothing: Predicate = () => false

/**
 * The operators of value conditions.
 *
 * On an array, an operator that compares holds if it holds for one element. `$neq` and `$nin` are
 * the negations of `$eq` and `$in`, on arrays too: `{"$neq": "a"}` means that no element is "a".
 */
const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$eq', (operand) => someValue((value) => isEqual(value, operand))],
  ['$neq', (operand) => not(someValue((value) => isEqual(value, operand)))],
  ['$gt', ordered((value, operand) => value > operand)],
  ['$gte', ordered((value, operand) => value >= operand)],
  ['$lt', ordered((value, operand) => value < operand)],
  ['$lte', ordered((value, operand) => value <= operand)],
  ['$in', oneOf],
  ['$nin', (operand, path, report) => not(oneOf(operand, path, report))],
  ['$startsWith', onText((value, operand) => value.startsWith(operand))],
  ['$endsWith', onText((value, operand) => value.endsWith(operand))],
  ['$exist', exists],
])

/** The operators that join conditions, or whole filters. */
const CONNECTIVES: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$or', joined((predicates) => (value) => predicates.some((holds) => holds(value)))],
  ['$and', joined((predicates) => (value) => predicates.every((holds) => holds(value)))],
  ['$not', (operand, path, report, compile) => not(compile(operand, path, report))],
])

/** The connective of this name, or undefined. */
export function connective(name: string): Operator | undefined {
  return CONNECTIVES.get(name)
}

/** The operator of this name on values, connectives among them, or undefined. */
export function operator(name: string): Operator | undefined {
  return OPERATORS.get(name) ?? CONNECTIVES.get(name)
}

function not(holds: Predicate): Predicate {
  return (value) => !holds(value)
}

/** Holds for the value itself, or for one element of it. */
export function someValue(holds: Predicate): Predicate {
  return (value) => holds(value) || (Array.isArray(value) && value.some(holds))
}

function ordered(compare: (value: number | string, operand: number | string) => boolean): Operator {
  return (operand, path, report) => {
    if (typeof operand === 'number') {
      return someValue((value) => typeof value === 'number' && compare(value, operand))
    }
    if (typeof operand === 'string') {
      return someValue((value) => typeof value === 'string' && compare(value, operand))
    }
    report(`${path} must be a number or a string`)
    return nothing
  }
}

function onText(compare: (value: string, operand: string) => boolean): Operator {
  return (operand, path, report) => {
    if (typeof operand === 'string') {
      return someValue((value) => typeof value === 'string' && compare(value, operand))
    }
    report(`${path} must be a string`)
    return nothing
  }
}

/** In an array: one of these values. In a text: a piece of it. */
function oneOf(operand: unknown, path: Path, report: Report): Predicate {
  if (Array.isArray(operand)) {
    return someValue((value) => operand.some((choice) => isEqual(value, choice)))
  }
  if (typeof operand === 'string') {
    return someValue((value) => typeof value === 'string' && value.includes(operand))
  }
  report(`${path} must be an array or a string`)
  return nothing
}

function exists(operand: unknown, path: Path, report: Report): Predicate {
  if (typeof operand === 'boolean') return (value) => (value !== undefined) === operand
  report(`${path} must be true or false`)
  return nothing
}

function joined(join: (predicates: readonly Predicate[]) => Predicate): Operator {
  return (operand, path, report, compile) => {
    if (Array.isArray(operand) && operand.length > 0) {
      return join(operand.map((item, i) => compile(item, `${path}[${i}]`, report)))
    }
    report(`${path} must be an array that is not empty`)
    return nothing
  }
}
