import { newUid } from '@postrider/common'
import {
  createHold,
  type Receiver,
  startReceiver,
  verifySignature,
  waitFor,
} from '@postrider/testkit'
import { Client, type EventAnswer, type ListAnswer } from './client.ts'

/** A running Postrider, however it is put together. */
export interface Running {
  /** Where the API answers, without a trailing slash. */
  readonly url: string
  readonly apiKey: string
  stop(): Promise<void>
}

/** The schedule that the suite expects, in seconds, as RETRY_SCHEDULE says it. */
export const RETRY_SCHEDULE = '0.4,0.9,30'
const RETRY_DELAYS_MS = [400, 900]

/**
 * The main job on real input, with the same assertions for every mode: publish through the API, arrive
 * signed at a receiver, be retried, recorded and found again.
 */
export function describeWholeFlow(mode: string, start: () => Promise<Running>): void {
  describe(`the whole flow, ${mode}`, () => {
    let running: Running
    let client: Client
    let receiver: Receiver
    let tenant: string

    beforeAll(async () => {
      running = await start()
      client = new Client(running.url, running.apiKey)
    })

    afterAll(async () => {
      await running.stop()
    })

    beforeEach(async () => {
      receiver = await startReceiver()
      tenant = `tenant-${newUid()}`
      await client.createTenant(tenant)
    })

    afterEach(async () => {
      await receiver.stop()
    })

    const settled = async (eventId: string, status: string): Promise<EventAnswer> => {
      await waitFor(async () => (await client.event(tenant, eventId)).status === status, {
        what: `event ${status}`,
      })
      return await client.event(tenant, eventId)
    }

    it('delivers an event signed, and records the attempt', async () => {
      const destination = await client.createWebhook(tenant, receiver.url)
      const event = await client.publish({
        tenant_id: tenant,
        topic: 'user.created',
        metadata: { source: 'test' },
        data: { user: 'u1' },
      })
      expect(event).toMatchObject({ duplicate: false, destination_ids: [destination.id] })
      const [request] = await receiver.waitFor(1)
      expect(request?.headers).toMatchObject({
        'content-type': 'application/json',
        'x-service-id': event.id,
        'x-service-topic': 'user.created',
        'x-service-source': 'test',
      })
      expect(request?.body.toString()).toBe('{"user":"u1"}')
      const signed = {
        secret: destination.credentials.secret,
        header: String(request?.headers['x-service-signature']),
        body: request?.body ?? Buffer.alloc(0),
      }
      expect(verifySignature(signed)).toBe(true)
      expect(verifySignature({ ...signed, secret: 'another' })).toBe(false)

      const found = await settled(event.id, 'success')
      expect(found.deliveries).toMatchObject([
        { destination_id: destination.id, status: 'success', attempts: 1, next_attempt_at: null },
      ])
      expect(await client.attempts(tenant, event.id)).toMatchObject([
        { attempt_number: 1, status: 'success', code: '200', next_attempt_at: null },
      ])
    })

    it('delivers and returns data byte for byte, and signs those bytes', async () => {
      const data = String.raw`{"n":12345678901234567890,"f":1.10,"u":"\u00e9é","s":"a\/b"}`
      const destination = await client.createWebhook(tenant, receiver.url)
      const event = await client.publish(`{"tenant_id":"${tenant}","topic":"t","data":${data}}`)
      const [request] = await receiver.waitFor(1)
      expect(request?.body.toString()).toBe(data)
      expect(
        verifySignature({
          secret: destination.credentials.secret,
          header: String(request?.headers['x-service-signature']),
          body: Buffer.from(data),
        }),
      ).toBe(true)
      const { text } = await client.call('GET', `/tenants/${tenant}/events/${event.id}`)
      expect(text).toContain(`"data":${data}`)
    })

    it('retries a receiver that fails twice exactly on schedule, and says so at every stage', async () => {
      const holds = [createHold(), createHold(), createHold()]
      receiver.answer(
        ...holds.map((hold, i) => ({ status: i < 2 ? 500 : 200, after: hold.released })),
      )
      await client.createWebhook(tenant, receiver.url)
      const event = await client.publish({ tenant_id: tenant, topic: 't', data: {} })

      await receiver.waitFor(1)
      expect(await client.event(tenant, event.id)).toMatchObject({ status: 'pending' })
      for (const [i, delayMs] of RETRY_DELAYS_MS.entries()) {
        holds[i]?.release()
        await waitFor(async () => (await client.attempts(tenant, event.id)).length === i + 1, {
          what: `attempt ${i + 1} recorded`,
        })
        const attempt = (await client.attempts(tenant, event.id))[i]
        expect(attempt).toMatchObject({ attempt_number: i + 1, status: 'failed', code: '500' })
        const nextAtMs = Date.parse(attempt?.next_attempt_at ?? '')
        const found = await client.event(tenant, event.id)
        expect(found).toMatchObject({ status: 'failed', deliveries: [{ attempts: i + 1 }] })
        const { body } = await client.call<ListAnswer<EventAnswer>>(
          'GET',
          `/tenants/${tenant}/events?status=failed`,
        )
        expect(body.models.map(({ id }) => id)).toContain(event.id)

        const requests = await receiver.waitFor(i + 2)
        const arrivedAtMs = requests[i + 1]?.arrivedAtMs ?? 0
        expect(arrivedAtMs).toBeGreaterThanOrEqual(nextAtMs)
        // The outcome commits after the answer was let go, so the schedule counts from there.
        const answeredAtMs = Date.parse(attempt?.time ?? '')
        expect(nextAtMs - answeredAtMs).toBeGreaterThanOrEqual(delayMs)
      }
      holds[2]?.release()
      const found = await settled(event.id, 'success')
      expect(found.deliveries).toMatchObject([{ status: 'success', attempts: 3 }])
      const attempts = await client.attempts(tenant, event.id)
      expect(attempts.map(({ status }) => status)).toEqual(['failed', 'failed', 'success'])
      expect(receiver.requests).toHaveLength(3)
    })

    it('skips a disabled destination with its reason, and delivers by hand once it is enabled', async () => {
      const destination = await client.createWebhook(tenant, receiver.url)
      const path = `/tenants/${tenant}/destinations/${destination.id}`
      await client.call('PUT', `${path}/disable`)
      const event = await client.publish({ tenant_id: tenant, topic: 't', data: {} })
      expect(await client.event(tenant, event.id)).toMatchObject({
        status: 'skipped',
        deliveries: [{ status: 'skipped', reason: 'destination_disabled' }],
      })
      const retry = { tenant_id: tenant, event_id: event.id, destination_id: destination.id }
      expect(await client.call('POST', '/retry', retry)).toMatchObject({
        status: 409,
        body: { code: 'destination_disabled' },
      })
      await client.call('PUT', `${path}/enable`)
      expect(await client.call('POST', '/retry', retry)).toMatchObject({ status: 202 })
      await receiver.waitFor(1)
      await settled(event.id, 'success')
      expect(await client.attempts(tenant, event.id)).toMatchObject([{ manual: true }])
    })

    it('disables a destination that answers 410', async () => {
      receiver.answer({ status: 410 })
      const destination = await client.createWebhook(tenant, receiver.url)
      await client.publish({ tenant_id: tenant, topic: 't', data: {} })
      await waitFor(
        async () => {
          const { body } = await client.call<{ disabled_at: string | null }>(
            'GET',
            `/tenants/${tenant}/destinations/${destination.id}`,
          )
          return body.disabled_at !== null
        },
        { what: 'the destination disabled' },
      )
    })

    it('delivers data too large to travel in a job', async () => {
      await client.createWebhook(tenant, receiver.url)
      const data = { text: 'x'.repeat(100_000) }
      const event = await client.publish({ tenant_id: tenant, topic: 't', data })
      const [request] = await receiver.waitFor(1)
      expect(request?.body.toString()).toBe(JSON.stringify(data))
      await settled(event.id, 'success')
    })

    it('delivers a burst over many destinations once each', async () => {
      for (let i = 0; i < 4; i++) await client.createWebhook(tenant, `${receiver.url}/${i}`)
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          client.publish({ tenant_id: tenant, topic: 't', data: { n } }),
        ),
      )
      await receiver.waitFor(400, 20_000)
      const pairs = receiver.requests.map(({ path, eventId }) => `${path} ${eventId}`)
      expect(new Set(pairs).size).toBe(400)
      expect(pairs).toHaveLength(400)
    })
  })
}
