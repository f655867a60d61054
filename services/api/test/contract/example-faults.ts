import type { MediaType } from '../../src/openapi/model.ts'
import { type Contract, type Located, pointerOf } from './contract.ts'

/** The examples of a document that do not fit their schemas, each with where it stands. */
export function exampleFaults(contract: Contract): string[] {
  const { schemas, responses } = contract.document.components
  return [
    ...Object.entries(schemas).flatMap(([name, { examples = [] }]) =>
      valueFaults(contract, `#/components/schemas/${name}`, examples as unknown[]),
    ),
    ...Object.entries(responses).flatMap(([name, { content }]) =>
      contentFaults(contract, `#/components/responses/${name}`, content),
    ),
    ...contract.operations.flatMap((located) => operationFaults(contract, located)),
  ]
}

function operationFaults(contract: Contract, located: Located): string[] {
  const { parameters = [], requestBody, responses } = located.operation
  const pointer = pointerOf(located)
  return [
    ...parameters.flatMap(({ example }, i) =>
      valueFaults(contract, `${pointer}/parameters/${i}/schema`, [example]),
    ),
    ...(requestBody === undefined
      ? []
      : contentFaults(contract, `${pointer}/requestBody`, requestBody.content)),
    ...Object.entries(responses).flatMap(([status, response]) =>
      'content' in response
        ? contentFaults(contract, `${pointer}/responses/${status}`, response.content)
        : [],
    ),
  ]
}

function contentFaults(
  contract: Contract,
  pointer: string,
  content: { readonly 'application/json': MediaType },
): string[] {
  const { example, examples = {} } = content['application/json']
  const values = [example, ...Object.values(examples).map(({ value }) => value)]
  return valueFaults(contract, `${pointer}/content/application~1json/schema`, values)
}

function valueFaults(contract: Contract, pointer: string, values: readonly unknown[]): string[] {
  return values
    .filter((value) => value !== undefined)
    .flatMap((value) => contract.faultsAt(pointer, value).map((fault) => `${pointer}: ${fault}`))
}
