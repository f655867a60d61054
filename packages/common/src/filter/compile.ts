import { isJsonObject, type JsonObject, member } from './json.ts'
import { connective, nothing, operator, type Predicate, someValue } from './operators.ts'
import { type Path, type Report, under } from './problems.ts'

const FIELDS = ['id', 'topic', 'time', 'metadata', 'data']

const isPresent: Predicate = (value) => value !== undefined

/**
 * Compiles a filter of whole events, and reports what is wrong with it on the way: one walk serves
 * both, so that what is accepted is what is understood.
 */
export function compileEventFilter(filter: unknown, path: Path, report: Report): Predicate {
  if (!isJsonObject(filter)) {
    report(`${path} must be an object`)
    return nothing
  }
  return allOf(
    Object.entries(filter).map(([key, operand]) =>
      compileField(key, operand, under(path, key), report),
    ),
  )
}

function compileField(key: string, operand: unknown, path: Path, report: Report): Predicate {
  const join = connective(key)
  if (join !== undefined) return join(operand, path, report, compileEventFilter)
  if (FIELDS.includes(key)) {
    const holds = compileCondition(operand, path, report)
    return (event) => holds(member(event, key))
  }
  if (operator(key) !== undefined) report(`${path} must stand under a field of the event`)
  else if (key.startsWith('$')) report(`${path} is not an operator`)
  else report(`${path} is not one of ${FIELDS.join(', ')}`)
  return nothing
}

/** Compiles a condition on one value: a primitive, an array, or an object of operators and keys. */
function compileCondition(condition: unknown, path: Path, report: Report): Predicate {
  if (Array.isArray(condition)) return containsAll(condition, path, report)
  if (isJsonObject(condition)) return matchesObject(condition, path, report)
  return someValue((value) => value === condition)
}

function containsAll(items: readonly unknown[], path: Path, report: Report): Predicate {
  if (items.length === 0) return isPresent
  const conditions = items.map((item, i) => compileCondition(item, `${path}[${i}]`, report))
  return (value) => Array.isArray(value) && conditions.every((holds) => value.some(holds))
}

function matchesObject(condition: JsonObject, path: Path, report: Report): Predicate {
  const keys = Object.keys(condition)
  if (keys.length === 0) return isPresent
  const operators = keys.filter((key) => key.startsWith('$'))
  const names = keys.filter((key) => !key.startsWith('$'))
  return allOf([
    ...operators.map((key) => compileOperator(key, condition[key], under(path, key), report)),
    ...(names.length === 0 ? [] : [hasMembers(names, condition, path, report)]),
  ])
}

function compileOperator(key: string, operand: unknown, path: Path, report: Report): Predicate {
  const compile = operator(key)
  if (compile !== undefined) return compile(operand, path, report, compileCondition)
  report(`${path} is not an operator`)
  return nothing
}

/** All members of one object; of an array, all of the same element. What has no members, misses all. */
function hasMembers(
  names: readonly string[],
  condition: JsonObject,
  path: Path,
  report: Report,
): Predicate {
  const members = names.map((name) => ({
    name,
    holds: compileCondition(condition[name], under(path, name), report),
  }))
  const holdsFor: Predicate = (value) =>
    members.every(({ name, holds }) => holds(member(value, name)))
  return (value) => (Array.isArray(value) ? value.some(holdsFor) : holdsFor(value))
}

function allOf(predicates: readonly Predicate[]): Predicate {
  return (value) => predicates.every((holds) => holds(value))
}
