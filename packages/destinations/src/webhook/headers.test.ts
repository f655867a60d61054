import * as fc from 'fast-check'
import type { DeliveryDestination, StringMap } from '@postrider/common'
import { SECRET, sendRequest, webhookDestination, webhookSettings } from '../../test/factories.ts'
import type { SendRequest } from '../destination-type.ts'
import { headerWriter } from './headers.ts'
import { prepareDestination } from './prepared-destination.ts'
import type { WebhookSettings } from './settings.ts'
import { createSigner } from './signer.ts'

interface Given {
  readonly settings?: Partial<WebhookSettings>
  readonly destination?: Partial<DeliveryDestination>
  readonly customHeaders?: StringMap
  readonly request?: Partial<SendRequest>
}

function headerPairs({ settings, destination, customHeaders = {}, request }: Given) {
  const full = webhookSettings(settings)
  const signer = createSigner(full)
  const target = webhookDestination('https://example.com/hook', {
    config: {
      url: 'https://example.com/hook',
      custom_headers: JSON.stringify(customHeaders),
    },
    ...destination,
  })
  const { headerPrefix } = full
  const prepared = prepareDestination(target, { headerPrefix, userAgent: 'postrider/1', signer })
  const flat = headerWriter(full)(prepared, sendRequest(target, request))
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : []))
}

function headers(given: Given): Record<string, string> {
  return Object.fromEntries(headerPairs(given))
}

describe('webhook headers', () => {
  it('are those of the default mode', () => {
    expect(headers({})).toEqual({
      'content-type': 'application/json',
      'user-agent': 'postrider/1',
      'x-service-id': 'evt_1',
      'x-service-timestamp': '1700000000',
      'x-service-topic': 'user.created',
      'x-service-signature':
        't=1700000000,v0=aa7048c14c342e1b52187e1b1a3089b9970930f03272e1ba4e5128ee02cc00d4',
    })
  })

  it('carry the time of the try when the operator wants it', () => {
    const written = headers({ settings: { timestampSource: 'attempt' } })

    expect(written['x-service-timestamp']).toBe('1700000600')
    expect(written['x-service-signature']).toMatch(/^t=1700000600,v0=/)
  })

  it('let event metadata win over delivery metadata, and both over custom headers', () => {
    const written = headers({
      customHeaders: {
        'X-Service-Region': 'custom',
        'X-Service-Shard': 'custom',
        'X-Own': 'custom',
      },
      destination: { deliveryMetadata: { region: 'delivery', shard: 'delivery' } },
      request: { metadata: { Region: 'event', Source: 'event' } },
    })

    expect(written).toMatchObject({
      'x-service-region': 'event',
      'x-service-shard': 'delivery',
      'x-service-source': 'event',
      'x-own': 'custom',
    })
  })

  it('never let anyone else speak for the service or break the request, in any spelling', () => {
    const names = ['id', 'ID', 'Timestamp', 'topic', 'SIGNATURE']
    const forged = Object.fromEntries(names.map((name) => [name, 'forged']))
    const written = headerPairs({
      customHeaders: { Host: 'forged', 'Content-Length': '0', 'X-Service-Id': 'forged' },
      destination: { deliveryMetadata: forged },
      request: { metadata: forged },
    })

    expect(written.filter(([, value]) => value === 'forged' || value === '0')).toEqual([])
    expect(written).toHaveLength(6)
  })

  it('keep the names of system headers reserved when these are switched off', () => {
    const written = headers({
      settings: { disableEventIdHeader: true, disableSignatureHeader: true },
      request: { metadata: { id: 'forged', signature: 'forged' } },
    })

    expect(Object.keys(written)).toEqual([
      'content-type',
      'user-agent',
      'x-service-timestamp',
      'x-service-topic',
    ])
  })

  it('may all be switched off', () => {
    const written = headers({
      settings: {
        disableEventIdHeader: true,
        disableTimestampHeader: true,
        disableTopicHeader: true,
        disableSignatureHeader: true,
      },
    })

    expect(Object.keys(written)).toEqual(['content-type', 'user-agent'])
  })

  it('use the operator’s prefix everywhere', () => {
    const written = headers({
      settings: { headerPrefix: 'x-acme-' },
      request: { metadata: { source: 'crm' } },
    })

    expect(written).toMatchObject({ 'x-acme-id': 'evt_1', 'x-acme-source': 'crm' })
  })

  it('keep HTTP’s own headers safe from a prefix that leads to them', () => {
    const written = headers({
      settings: { headerPrefix: 'content-' },
      request: { metadata: { length: '0', type: 'text/html' } },
    })

    expect(written['content-length']).toBeUndefined()
    expect(written['content-type']).toBe('application/json')
  })

  it('are signed with previous secrets until their windows end', () => {
    const credentials = {
      secret: SECRET,
      previous_secret: 'whsec_previous',
      previous_secret_invalid_at: new Date(2000).toISOString(),
      older_secrets: JSON.stringify([
        { secret: 'whsec_older', invalid_at: new Date(1000).toISOString() },
      ]),
    }
    const count = (attemptTimeMs: number) =>
      headers({ destination: { credentials }, request: { attemptTimeMs } })[
        'x-service-signature'
      ]?.split(',').length

    expect([count(999), count(1000), count(1999), count(2000)]).toEqual([4, 3, 3, 2])
  })

  it('have no name twice and no value that ends its line, whatever the metadata', () => {
    const key = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/)
    const map = fc.dictionary(key, fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(map, map, fc.string({ unit: 'binary' }), (metadata, deliveryMetadata, topic) => {
        const written = headerPairs({
          destination: { deliveryMetadata },
          request: { metadata, topic },
        })
        const names = written.map(([name]) => name)
        expect(new Set(names).size).toBe(names.length)
        expect(written.filter(([, value]) => !/^[\x20-\x7e]*$/.test(value))).toEqual([])
      }),
    )
  })
})
