import { newUid, type StringMap } from '@postrider/common'
import { waitFor } from '@postrider/testkit'
import type { AttemptAnswer, Client, DestinationAnswer } from '../client.ts'
import { startTypeService, type TypeService } from './type-service.ts'

/** Settings as a caller of the API gives them. */
export interface GivenSettings {
  readonly config?: StringMap
  readonly credentials?: StringMap
}

/** A message as its receiver sees it. */
export interface Arrived {
  readonly body: Buffer
  readonly metadata: StringMap
  /** What else the system knows of a message: its id, its key, its content type. */
  readonly properties: StringMap
}

/** A way for deliveries of a type to fail. */
export interface FailureCase {
  readonly when: string
  readonly code: string
  /** What is other in the destination. */
  readonly settings?: GivenSettings
  /** Sets the servers up for it; what it returns makes them good again. */
  readonly provoke?: () => Promise<() => Promise<void> | void> | (() => Promise<void> | void)
  /** Of the event. Default: a small object. */
  readonly data?: string
  /** Of the event, beside what every one has. Default: nothing. */
  readonly metadata?: StringMap
}

/** The servers that a type delivers to, and what is known of it. */
export interface TypeServers extends AsyncDisposable {
  readonly settings: GivenSettings
  /** What the service has to be told of them. */
  readonly env?: Readonly<Record<string, string>>
  /** Everything that has arrived, read with the vendor's own client; at least `count`. */
  arrived(count: number): Promise<readonly Arrived[]>
  /** What is to be expected of the properties of the message of an event. */
  properties(event: { readonly id: string; readonly topic: string }): StringMap
  readonly failures: readonly FailureCase[]
  /** Settings with which deliveries are refused (credentials, where they are shown), and the code. */
  readonly wrong: { readonly settings: GivenSettings; readonly code: string }
}

/** Data on which parsing and writing again would show. */
const DATA = String.raw`{"n":12345678901234567890,"f":1.10,"u":"\u00e9é 😀","s":"a\/b","o":{"b":1,"a":[]}}`

/**
 * A destination type from end to end: made through the API, published to, sent by the deliverer, read
 * back from the real server, or from one that speaks its protocol, with the vendor's own client.
 */
export function describeTypeFlow(type: string, start: () => Promise<TypeServers>): void {
  describe(`a destination of type ${type}`, () => {
    let service: TypeService
    let client: Client
    let servers: TypeServers

    beforeAll(async () => {
      servers = await start()
      service = await startTypeService(servers.env)
      client = service.client
    }, 60_000)

    afterAll(async () => {
      await service[Symbol.asyncDispose]()
      await servers[Symbol.asyncDispose]()
    })

    /** A tenant with one destination. */
    async function prepare(
      more: GivenSettings = {},
    ): Promise<{ readonly tenant: string; readonly destination: DestinationAnswer }> {
      const tenant = `tenant-${newUid()}`
      await client.createTenant(tenant)
      const { config, credentials } = servers.settings
      const destination = await client.createDestination(tenant, {
        type,
        topics: ['*'],
        delivery_metadata: { team: 'billing', source: 'destination' },
        ...(config === undefined ? {} : { config: { ...config, ...more.config } }),
        ...(credentials === undefined
          ? {}
          : { credentials: { ...credentials, ...more.credentials } }),
      })
      return { tenant, destination }
    }

    async function publish(
      tenant: string,
      { data = DATA, metadata: more = {} }: Pick<FailureCase, 'data' | 'metadata'> = {},
    ): Promise<string> {
      const id = newUid()
      const metadata = { source: 'event', city: 'Köln', topic: 'forged', ...more }
      const event = { tenant_id: tenant, id, topic: 'user.created', metadata }
      // The bytes of the data must not pass through a serialiser.
      await client.publish(`${JSON.stringify(event).slice(0, -1)},"data":${data}}`)
      return id
    }

    async function attempts(
      tenant: string,
      id: string,
      count: number,
    ): Promise<readonly AttemptAnswer[]> {
      return await waitFor(
        async () => {
          const made = await client.attempts(tenant, id)
          return made.length >= count && made
        },
        { what: `${count} attempts`, deadlineMs: 20_000 },
      )
    }

    async function succeeded(tenant: string, id: string): Promise<void> {
      await waitFor(async () => (await client.event(tenant, id)).status === 'success', {
        what: 'a success',
        deadlineMs: 20_000,
      })
    }

    it('gets the data byte for byte, with the metadata, the key and the ids', async () => {
      const { tenant } = await prepare()
      const id = await publish(tenant)
      await succeeded(tenant, id)
      const all = await servers.arrived(1)
      const message = all.find(({ metadata }) => metadata['event-id'] === id)

      expect(message?.body.toString()).toBe(DATA)
      expect(message?.metadata).toMatchObject({
        team: 'billing',
        source: 'event',
        city: 'Köln',
        topic: 'user.created',
        'event-id': id,
        timestamp: expect.stringMatching(/^\d{10}$/),
      })
      expect(message?.properties).toEqual(servers.properties({ id, topic: 'user.created' }))
      expect(await attempts(tenant, id, 1)).toHaveLength(1)
    }, 30_000)

    it('says truthfully how it failed, is tried again, and succeeds once it can', async () => {
      const seen: Record<string, unknown> = {}
      const expected: Record<string, unknown> = {}
      const observe = async (failure: FailureCase): Promise<void> => {
        const { when, code, settings, provoke } = failure
        const makeGood = await provoke?.()
        const { tenant } = await prepare(settings)
        const id = await publish(tenant, failure)
        const [first, second] = await attempts(tenant, id, 2)
        seen[when] = [first?.status, first?.code, second?.code, first?.next_attempt_at !== null]
        expected[when] = ['failed', code, code, true]
        await makeGood?.()
        if (makeGood !== undefined) await succeeded(tenant, id)
      }
      // What is set up on the servers is there for all who come, what is other in a destination for it alone.
      for (const failure of servers.failures) {
        if (failure.provoke !== undefined) await observe(failure)
      }
      const others = servers.failures.filter(({ provoke }) => provoke === undefined)
      await Promise.all(others.map(observe))
      expect(seen).toEqual(expected)
    }, 120_000)

    it('uses new settings, credentials among them, as soon as they are there', async () => {
      const { settings, code } = servers.wrong
      const { tenant, destination } = await prepare(settings)
      const id = await publish(tenant)
      const [first] = await attempts(tenant, id, 1)
      expect(first).toMatchObject({ status: 'failed', code })

      await client.changeDestination(tenant, destination.id, servers.settings)
      await succeeded(tenant, id)
      expect(await client.event(tenant, id)).toMatchObject({ status: 'success' })
    }, 30_000)
  })
}
