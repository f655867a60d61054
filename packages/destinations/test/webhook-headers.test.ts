import * as fc from 'fast-check'
import type { DeliveryDestination, StringMap } from '@postrider/common'
import { type Receiver, startReceiver } from '@postrider/testkit'
import type { SendRequest } from '../src/destination-type.ts'
import { headerText } from '../src/http/header-text.ts'
import { headerWriter } from '../src/webhook/headers.ts'
import { prepareDestination } from '../src/webhook/prepared-destination.ts'
import type { WebhookSettings } from '../src/webhook/settings.ts'
import { createSigner } from '../src/webhook/signer.ts'
import {
  DATA,
  sendRequest,
  webhookDestination,
  webhookSender,
  webhookSettings,
} from './factories.ts'

const SYSTEM_KEYS = ['id', 'timestamp', 'topic', 'signature']
const OF_HTTP =
  /^(?:content-type|content-length|host|connection|user-agent|transfer-encoding|expect|upgrade|keep-alive|te|trailer|proxy-.*)$/

const HOSTILE_NAMES = [
  ...`id ID Timestamp topic TOPIC SIGNATURE length type x
    Host Content-Length content-type Connection User-Agent Transfer-Encoding
    Expect Upgrade keep-alive TE Trailer Proxy-Authorization Proxy-Connection
    x-service-id X-Service-Signature webhook-id Webhook-Topic webhook-region
    region Region REGION __proto__ constructor toString`.split(/\s+/),
  'a\r\nx-forged: 1',
  'a: b',
  'a b',
  ' a',
  'a\0',
  'a\t',
  '',
  ':path',
  '(a)',
  'é',
  '\u212a',
  'İd',
]
const HOSTILE_VALUES = [
  '',
  ' ',
  'a\r\nx-forged: 1',
  'a\nx-forged: 1',
  'a\r\n\r\nPOST /forged HTTP/1.1\r\nhost: forged\r\n\r\n',
  '\0',
  '\t',
  'é😀',
  '\ud800',
  '\u0100\u010a\u010d',
]

const name = fc.oneof(
  fc.constantFrom(...HOSTILE_NAMES),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const value = fc.oneof(
  fc.constantFrom(...HOSTILE_VALUES),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
/** Names as validation lets them through, so that a sender has something to send. */
const customName = fc.oneof(
  fc.constantFrom(...HOSTILE_NAMES.filter((each) => /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(each))),
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,8}$/),
)
const settings = fc.record({
  mode: fc.constantFrom('default' as const, 'standard' as const),
  headerPrefix: fc.constantFrom('x-service-', 'webhook-', 'content-', 'proxy-', 'x', 't'),
  disableEventIdHeader: fc.boolean(),
  disableTimestampHeader: fc.boolean(),
  disableTopicHeader: fc.boolean(),
  disableSignatureHeader: fc.boolean(),
  signatureHeaderTemplate: fc.constantFrom(
    'v0={{.Signatures | join ","}}',
    '{{.Topic}} {{.EventID}} {{.Signatures | join ","}}',
  ),
})
const sources = fc.record({
  eventId: value,
  topic: value,
  metadata: fc.dictionary(name, value, { maxKeys: 8 }),
  deliveryMetadata: fc.dictionary(name, value, { maxKeys: 8 }),
  customHeaders: fc.dictionary(customName, value, { maxKeys: 8 }),
})

interface Sources {
  readonly eventId: string
  readonly topic: string
  readonly metadata: StringMap
  readonly deliveryMetadata: StringMap
  readonly customHeaders: StringMap
}

function destinationOf(url: string, { deliveryMetadata, customHeaders }: Sources) {
  const config = { url, custom_headers: JSON.stringify(customHeaders) }
  return webhookDestination(url, { config, deliveryMetadata })
}

function requestOf(destination: DeliveryDestination, given: Sources): SendRequest {
  const { eventId, topic, metadata } = given
  return sendRequest(destination, { eventId, topic, metadata })
}

/** The headers that a request is written with, by their names, in order. */
function written(given: Sources, changes: Partial<WebhookSettings>): (readonly [string, string])[] {
  const full = webhookSettings(changes)
  const destination = destinationOf('https://example.com', given)
  const prepared = prepareDestination(destination, {
    headerPrefix: full.headerPrefix,
    userAgent: 'postrider/test',
    signer: createSigner(full),
  })
  const flat = headerWriter(full)(prepared, requestOf(destination, given))
  return flat.flatMap((each, i) => (i % 2 === 0 ? [[each, flat[i + 1] ?? ''] as const] : []))
}

/** The last value of a source for each header, by its lower-case name, if such a name may be sent. */
function offered(map: StringMap, prefix: string, keys: RegExp): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(map)
      .filter(([key]) => keys.test(key))
      .map(([key, each]) => [prefix + key.toLowerCase(), headerText(each)] as const),
  )
}

describe('webhook headers, whatever their sources hold', () => {
  it('are well formed, and each name comes once', () => {
    fc.assert(
      fc.property(sources, settings, (given, changes) => {
        const names = written(given, changes).map(([each]) => each)
        expect(new Set(names).size).toBe(names.length)
        expect(names.filter((each) => !/^[a-z0-9_-]+$/.test(each))).toEqual([])
        const values = written(given, changes).map(([, each]) => each)
        expect(values.filter((each) => !/^[\x20-\x7e]*$/.test(each))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('follow the precedence: system, event, delivery metadata, custom', () => {
    fc.assert(
      fc.property(sources, settings, (given, changes) => {
        const { headerPrefix: prefix } = changes
        const headers = new Map(written(given, changes))
        const event = offered(given.metadata, prefix, /^[A-Za-z0-9_-]+$/)
        const delivery = offered(given.deliveryMetadata, prefix, /^[A-Za-z0-9_-]+$/)
        const custom = offered(given.customHeaders, '', /^/)
        const isFree = (each: string) =>
          !OF_HTTP.test(each) && !SYSTEM_KEYS.some((key) => each === prefix + key)
        const expected = new Map(
          [...custom, ...delivery, ...event].filter(([each]) => isFree(each)),
        )
        const topic = `${prefix}topic`
        const ofEvent = changes.mode === 'standard' ? event.get(topic) : undefined
        expected.set('content-type', 'application/json').set('user-agent', 'postrider/test')
        if (!changes.disableEventIdHeader) expected.set(`${prefix}id`, headerText(given.eventId))
        if (!changes.disableTimestampHeader) expected.set(`${prefix}timestamp`, '1700000000')
        if (!changes.disableTopicHeader) expected.set(topic, headerText(given.topic))
        if (ofEvent !== undefined) expected.set(topic, ofEvent)
        const signature = `${prefix}signature`
        expect(headers.has(signature)).toBe(!changes.disableSignatureHeader)
        headers.delete(signature)
        expect(headers).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('are not written at all of a custom header that validation would not let through', () => {
    fc.assert(
      fc.property(
        name.filter((each) => !/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(each)),
        (each) => {
          const customHeaders = Object.fromEntries([[each, 'x']])
          const given = {
            eventId: '',
            topic: '',
            metadata: {},
            deliveryMetadata: {},
            customHeaders,
          }
          expect(() => written(given, {})).toThrow('a custom header')
        },
      ),
    )
  })
})

describe('a request, whatever the sources of its headers hold', () => {
  let receiver: Receiver

  beforeEach(async () => {
    receiver = await startReceiver()
  })

  afterEach(() => receiver.stop())

  it('arrives as one request with its own framing, in both modes', async () => {
    const modes = [
      webhookSender(),
      webhookSender({ settings: { mode: 'standard', headerPrefix: 'webhook-' } }),
    ]
    let sent = 0
    await fc.assert(
      fc.asyncProperty(sources, async (given) => {
        for (const sender of modes) {
          const destination = destinationOf(receiver.url, given)
          expect(await sender.send(requestOf(destination, given))).toMatchObject({ code: '200' })
          sent++
          const { method, path, headers, rawHeaders, body } = receiver.requests[sent - 1] ?? {}
          const names = rawHeaders?.filter((_, i) => i % 2 === 0).map((each) => each.toLowerCase())
          expect({ method, path, length: names?.length }).toEqual({
            method: 'POST',
            path: '/',
            length: new Set(names).size,
          })
          expect(headers).toMatchObject({
            host: `127.0.0.1:${receiver.port}`,
            connection: 'keep-alive',
            'content-length': String(DATA.length),
            'content-type': 'application/json',
            'user-agent': 'postrider/test',
          })
          expect(names?.filter((each) => /^(?:transfer-encoding|x-forged)$/.test(each))).toEqual([])
          expect(body?.equals(DATA)).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
    expect(receiver.requests).toHaveLength(sent)
    for (const sender of modes) await sender.stop()
  })
})
