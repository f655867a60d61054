import * as fc from 'fast-check'
import type { Parameter } from '../../src/openapi/model.ts'
import type { Contract, Located } from '../contract/contract.ts'
import { damaged, damages } from './damage.ts'
import { mutate, mutations, textOf } from './mutate.ts'
import { CALLERS, METHODS, ODD_HEADERS, ODD_PARAMETERS, ODD_QUERIES } from './oddities.ts'
import { type KnownValues, SchemaArbitraries } from './schema-arbitrary.ts'

/** Who asks: the admin, a tenant, somebody whom the api does not know, or nobody. */
export type FuzzCaller = 'admin' | 'tenant' | 'garbage' | 'nobody'

/** A request as it is sent. */
export interface FuzzRequest {
  readonly method: string
  /** Below the base path; percent-encoded, perhaps badly. */
  readonly path: string
  readonly caller: FuzzCaller
  readonly headers: Readonly<Record<string, string>>
  /** Null: none. */
  readonly body: Buffer | null
}

/**
 * Requests to the operations of a document: half of them nearly as it wants them, so that they get
 * past validation, the others with something that is wrong.
 */
export function fuzzRequests(contract: Contract, known: KnownValues): fc.Arbitrary<FuzzRequest> {
  const schemas = new SchemaArbitraries(contract.document, known)
  return fc.oneof(
    ...contract.operations.map((located) => ({
      weight: weightOf(located),
      arbitrary: requestsTo(located, schemas),
    })),
  )
}

/** There is most to find where there is a body; what deletes the world comes seldom. */
function weightOf({ method, operation }: Located): number {
  if (operation.requestBody !== undefined) return 16
  if (method === 'delete') return 1
  return operation.security.length === 0 ? 1 : 4
}

function requestsTo(located: Located, schemas: SchemaArbitraries): fc.Arbitrary<FuzzRequest> {
  const { parameters = [] } = located.operation
  const inPath = parameters.filter((each) => each.in === 'path')
  const inQuery = parameters.filter((each) => each.in === 'query')
  return fc
    .record({
      path: fc.tuple(...inPath.map((each) => pathTexts(each, schemas))),
      query: fc.tuple(...inQuery.map((each) => queryTexts(each, schemas, inQuery.length))),
      oddQuery: seldom(fc.constantFrom(...ODD_QUERIES), ''),
      method: seldom(fc.constantFrom(...METHODS), located.method.toUpperCase()),
      caller: seldom(fc.constantFrom(...CALLERS), 'admin'),
      headers: seldom(fc.constantFrom(...ODD_HEADERS), {}),
      body: bodies(located, schemas),
    })
    .map(({ path, query, oddQuery, ...rest }) => {
      const texts = [...path]
      const pathname = located.template.replaceAll(/\{\w+\}/g, () => texts.shift() ?? '')
      const search = [...query, oddQuery].filter((text) => text !== '').join('&')
      return { ...rest, path: search === '' ? pathname : `${pathname}?${search}` }
    })
}

function pathTexts({ name, schema }: Parameter, schemas: SchemaArbitraries): fc.Arbitrary<string> {
  const usual = schemas.of(schema, name).map((value) => encoded(value) || '%20')
  const odd = fc.constantFrom(...ODD_PARAMETERS)
  return fc.oneof({ weight: 15, arbitrary: usual }, { weight: 1, arbitrary: odd })
}

/** @param count - of parameters: about two of them are given */
function queryTexts(
  { name, schema }: Parameter,
  schemas: SchemaArbitraries,
  count: number,
): fc.Arbitrary<string> {
  const given = schemas.of(schema, name).map((value) =>
    [value]
      .flat()
      .map((each) => `${encodeURIComponent(name)}=${encoded(each)}`)
      .join('&'),
  )
  return fc.oneof({ weight: Math.ceil(count / 2), arbitrary: fc.constant('') }, given)
}

function bodies({ operation }: Located, schemas: SchemaArbitraries): fc.Arbitrary<Buffer | null> {
  if (operation.requestBody === undefined) return fc.constant(null)
  const { schema } = operation.requestBody.content['application/json']
  const changes = fc.oneof(fc.constant([]), fc.array(mutations(), { maxLength: 3 }))
  return fc
    .tuple(schemas.of(schema), changes, seldom(damages(), null))
    .map(([value, mutated, damage]) => {
      const body = Buffer.from(textOf(mutated.reduce(mutate, value)))
      return damage === null ? body : damaged(body, damage)
    })
}

/** One in sixteen is not the usual one. */
function seldom<A, const B>(odd: fc.Arbitrary<A>, usual: B): fc.Arbitrary<A | B> {
  return fc.oneof({ weight: 15, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd })
}

function encoded(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed())
}
