import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import request, { type Test } from 'supertest'
import type { ErrorCode } from '../../src/http/errors.ts'
import type { OpenApiDocument } from '../../src/openapi/model.ts'
import { forgeToken } from '../forged-tokens.ts'
import { API_KEY, JWT_SECRET, openApi, type TestApi } from '../open-api.ts'
import { Contract, type Located } from './contract.ts'
import { type Outcome, type Scenario, scenarioFor } from './scenarios.ts'
import { makeExampleWorld } from './world.ts'

const cutOff = openApi({ postgresUrl: 'postgres://nobody@127.0.0.1:1/none' })
const contract = new Contract(cutOff.api.document)
const cells = contract.operations.flatMap((located) =>
  outcomesOf(located, cutOff.api.document).map((outcome) => ({
    name: `${located.operation.operationId}: ${outcome.status} ${outcome.code ?? ''}`.trim(),
    located,
    outcome,
  })),
)

describe('the document', () => {
  let databases: TestDatabase[]
  let working: TestApi
  let broken: TestApi

  beforeAll(async () => {
    databases = [await createTestDatabase(), await createTestDatabase({ isMigrated: false })]
    const [good, empty] = databases.map(({ url }) =>
      openApi({ postgresUrl: url, env: { MAX_DESTINATIONS_PER_TENANT: '2' } }),
    ) as [TestApi, TestApi]
    working = good
    broken = empty
    await working.put('/tenants/stranger').expect(201)
  })

  afterAll(async () => {
    for (const each of [working, broken, cutOff, ...databases]) await each[Symbol.asyncDispose]()
  })

  it.each(cells)('tells the truth about $name', async ({ located, outcome }) => {
    const scenario = scenarioFor(located, outcome)
    await makeExampleWorld(working)
    await scenario.before?.(working)

    const { status, headers, body } = await ask(scenario)

    const { method, path, body: sent } = scenario.request
    expect({ status, code: status < 400 ? undefined : (body as { code?: string }).code }).toEqual({
      status: outcome.status,
      code: outcome.code,
    })
    expect(contract.answerFaults({ method, path }, { status, headers, body })).toEqual([])
    expect(status < 300 ? contract.requestFaults({ method, path, body: sent }) : []).toEqual([])
  })

  function ask({ service, caller, request: asked, headers = {} }: Scenario): Test {
    const { api } = { broken, 'cut off': cutOff, working }[service ?? 'working']
    const method = asked.method.toLowerCase() as 'get' | 'put' | 'post' | 'patch' | 'delete'
    const sent = request(api.app)[method](`/api/v1${asked.path}`).set(headers)
    if (caller !== 'nobody') sent.auth(tokenOf(caller), { type: 'bearer' })
    return asked.text === undefined ? sent : sent.set('content-type', asked.type).send(asked.text)
  }
})

function tokenOf(caller: 'acme' | 'stranger' | undefined): string {
  return caller === undefined ? API_KEY : forgeToken(caller, { secret: JWT_SECRET })
}

/** What an operation can answer: each status, and each code of a status that has codes. */
function outcomesOf({ operation }: Located, document: OpenApiDocument): Outcome[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    const named = '$ref' in response ? response.$ref.split('/').at(-1) : undefined
    if (named === undefined) return [{ status: Number(status) }]
    const examples = document.components.responses[named]?.content['application/json'].examples
    return Object.keys(examples ?? {}).map((code) => ({
      status: Number(status),
      code: code as ErrorCode,
    }))
  })
}
