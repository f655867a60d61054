import type { compile } from '@jmespath-community/jmespath'

type Expression = ReturnType<typeof compile>

/** What a template may begin a path with, and the members that are there; null: whatever the event has. */
export type TemplateRoots = Readonly<Record<string, readonly string[] | null>>

const MAX_PATHS = 16

const ALLOWED =
  "a template has only paths, literals, ||, join('…', […]), lower, upper, not_null and to_string"

/**
 * What is wrong with an expression as a template; null: nothing.
 *
 * All of JMESPath would let a tenant stop a deliverer: `[@,@]|[@,@]|…|[]|[]` doubles its result with
 * every step, and there is no limit of time or memory in the library. What is left here makes a result
 * that is at most as long as the parts that are named, each of which is in the event.
 */
export function checkExpression(expression: Expression, roots: TemplateRoots): string | null {
  const scope: Scope = { roots, paths: 0 }
  const fault = textFault(expression, scope)
  if (fault !== null) return fault
  return scope.paths > MAX_PATHS ? `must have at most ${MAX_PATHS} paths` : null
}

interface Scope {
  readonly roots: TemplateRoots
  /** How many there were until now. */
  paths: number
}

function textFault(node: Expression, scope: Scope): string | null {
  if (node.type === 'Literal') {
    return typeof node.value === 'object' ? `uses a list, object or null: ${ALLOWED}` : null
  }
  if (node.type === 'OrExpression') return firstFault([node.left, node.right], scope)
  if (node.type === 'Function') return functionFault(node.name, node.children, scope)
  if (node.type === 'Field' || node.type === 'Subexpression' || node.type === 'IndexExpression') {
    return pathFault(node, scope)
  }
  return `uses ${wordsOf(node.type)}: ${ALLOWED}`
}

function functionFault(name: string, args: readonly Expression[], scope: Scope): string | null {
  const [first, second] = args
  switch (name) {
    case 'join':
      return args.length === 2 &&
        first?.type === 'Literal' &&
        typeof first.value === 'string' &&
        second?.type === 'MultiSelectList'
        ? firstFault(second.children, scope)
        : "must use join as join('…', […])"
    case 'not_null':
      return args.length > 0 ? firstFault(args, scope) : 'must give not_null something'
    case 'lower':
    case 'upper':
      return args.length === 1 ? firstFault(args, scope) : `must give ${name} one argument`
    case 'to_string':
      // Of anything else it could be nested, and every level doubles the backslashes of the last.
      return args.length === 1 && first !== undefined && pathOf(first) !== null
        ? pathFault(first, scope)
        : 'must give to_string one path'
    default:
      return `uses ${name}(): ${ALLOWED}`
  }
}

function firstFault(nodes: readonly Expression[], scope: Scope): string | null {
  for (const node of nodes) {
    const fault = textFault(node, scope)
    if (fault !== null) return fault
  }
  return null
}

function pathFault(node: Expression, scope: Scope): string | null {
  const names = pathOf(node)
  if (names === null) return `uses more than names and indexes in a path: ${ALLOWED}`
  scope.paths += 1
  const { roots } = scope
  const [root = '', member] = names
  const members = Object.hasOwn(roots, root) ? roots[root] : undefined
  if (members === undefined) return `refers to ${root}: there is only ${listOf(Object.keys(roots))}`
  // The library takes them for members of the event.
  const inherited = names.find((name) => name in Object.prototype)
  if (inherited !== undefined) return `refers to ${inherited}, which every object has`
  if (members === null || member === undefined || members.includes(member)) return null
  return `refers to ${root}.${member}: there is only ${listOf(members)}`
}

/** The names of a path such as `data.items[0].id`, without its indexes; null: it is not one. */
function pathOf(node: Expression): readonly string[] | null {
  if (node.type === 'Field') return [node.name]
  if (node.type === 'IndexExpression') return node.right.type === 'Index' ? pathOf(node.left) : null
  if (node.type !== 'Subexpression') return null
  const left = pathOf(node.left)
  const right = pathOf(node.right)
  return left === null || right === null ? null : [...left, ...right]
}

/** `FilterProjection` as "a filter projection". */
function wordsOf(type: string): string {
  return `a ${type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}`
}

function listOf(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
