import { createTestDatabase } from '@postrider/testkit'
import * as fc from 'fast-check'
import { Contract } from '../contract/contract.ts'
import { makeExampleWorld } from '../contract/world.ts'
import { API_KEY, openApi } from '../open-api.ts'
import { FuzzClient } from './fuzz-client.ts'
import { fuzzRequests } from './fuzz-request.ts'
import { fuzzSettings } from './fuzz-settings.ts'
import { Judge } from './judge.ts'
import { knownValues } from './known-values.ts'

/** Sent side by side, so that requests also meet each other. */
const ABREAST = 4

/** Batches after which what was deleted is there again. */
const WORLD_LASTS = 20

/** A run that never gets further than the first refusal would be worth nothing. */
const EXPECTED = [200, 201, 202, 400, 401, 403, 404, 405, 415, 422]

const { requests, seed, isReported } = fuzzSettings()

// The api runs in this process: jest fails the test on any rejection that nobody handled.
describe('whatever is sent to the api', () => {
  it(
    `is answered in time, as documented, and never with a 5xx (${requests} requests)`,
    async () => {
      await using database = await createTestDatabase()
      await using api = openApi({ postgresUrl: database.url })
      const { port } = await api.api.start()
      await api.put('/tenants/other').expect(201)
      using client = new FuzzClient(port, {
        admin: API_KEY,
        tenant: await api.tokenOf('other'),
        garbage: 'e30.e30.e30',
        nobody: null,
      })
      const contract = new Contract(api.api.document)
      const judge = new Judge(contract)
      const asked = fuzzRequests(contract, knownValues(judge.cursors))

      let batches = 0
      await fc.assert(
        fc
          .asyncProperty(fc.tuple(...Array<typeof asked>(ABREAST).fill(asked)), async (batch) => {
            await Promise.all(batch.map(async (each) => judge.judge(each, await client.send(each))))
          })
          .beforeEach(async () => {
            if (batches++ % WORLD_LASTS === 0) await makeExampleWorld(api)
          }),
        { seed, numRuns: Math.ceil(requests / ABREAST) },
      )

      if (isReported) process.stderr.write(judge.report)
      expect(judge.statuses).toEqual(expect.arrayContaining(EXPECTED))
      await api.get('/readyz').expect(200)
    },
    60_000 + requests * 50,
  )
})
