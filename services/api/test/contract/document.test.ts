import { readFile } from 'node:fs/promises'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { MediaType } from '../../src/openapi/model.ts'
import { referenceDocument } from '../../src/index.ts'
import { openApi, type TestApi } from '../open-api.ts'
import { Contract, type Located } from './contract.ts'
import { exampleFaults } from './example-faults.ts'
import { servedRoutes } from './served-routes.ts'

let api: TestApi
let contract: Contract

beforeAll(() => {
  // The document needs no Postgres.
  api = openApi({ postgresUrl: 'postgres://nobody@127.0.0.1:1/none' })
  contract = new Contract(api.api.document)
})

afterAll(() => api[Symbol.asyncDispose]())

describe('the OpenAPI document', () => {
  it('is one', async () => {
    const document = structuredClone(api.api.document) as unknown as Record<string, unknown>
    expect(await new Validator().validate(document)).toEqual({ valid: true })
  })

  it('is served as it is', async () => {
    const { body } = await api.get('/openapi.json').expect(200)
    expect(body).toEqual(api.api.document)
  })

  it('is the committed one for default settings', async () => {
    const committed = new URL('../../../../docs/openapi.json', import.meta.url)
    const isCurrent = (await referenceDocument()) === (await readFile(committed, 'utf8'))
    // Without the two texts, of which a difference would fill screens.
    expect({ isCurrent, otherwise: 'node scripts/dist/generate-openapi.js' }).toMatchObject({
      isCurrent: true,
    })
  })

  it('has every route that is served, and no other', () => {
    const documented = contract.operations.map(
      ({ method, template }) => `${method} /api/v1${template}`,
    )
    const served = servedRoutes(api.api.app).map((route) => route.replaceAll(/:(\w+)/g, '{$1}'))
    const besides = [
      'get /healthz',
      'get /docs',
      'get /docs/start.js',
      'get /docs/swagger-ui.css',
      'get /docs/swagger-ui-bundle.js',
    ]
    expect(served.toSorted()).toEqual([...documented, ...besides].toSorted())
  })

  it('names every operation once, in a group, with an example of its request and its answer', () => {
    const ids = contract.operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const poor = contract.operations.filter((located) => {
      const { summary, tags, requestBody } = located.operation
      const contents = [...successes(located), ...(requestBody ? [requestBody.content] : [])]
      const hasExamples = contents.every((content) => 'example' in content['application/json'])
      return summary === '' || tags.length !== 1 || !hasExamples
    })
    expect(poor.map(({ operation }) => operation.operationId)).toEqual([])
  })

  it('describes every parameter, with an example of those that are needed', () => {
    const poor = contract.operations.flatMap(({ operation }) =>
      (operation.parameters ?? [])
        .filter(
          ({ description, required, example }) =>
            description === undefined || (required && example === undefined),
        )
        .map(({ name }) => `${operation.operationId}: ${name}`),
    )
    expect(poor).toEqual([])
  })

  it('has only examples that fit their schemas', () => {
    expect(exampleFaults(contract)).toEqual([])
  })
})

function successes({ operation }: Located): { 'application/json': MediaType }[] {
  return Object.entries(operation.responses).flatMap(([status, response]) =>
    status.startsWith('2') && 'content' in response ? [response.content] : [],
  )
}
