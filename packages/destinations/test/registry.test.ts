import { createRegistry, validateSettings } from '@postrider/destinations'
import { SILENT_LOG, webhookSettings } from './factories.ts'

const options = {
  webhook: webhookSettings(),
  allowedNetworks: [],
  version: '1.2.3',
  log: SILENT_LOG,
}

describe('registry', () => {
  const registry = createRegistry(options)

  it('gets a type by the name under which it is listed', () => {
    const names = registry.list().map((type) => type.document.type)

    expect(names).toEqual([
      'webhook',
      'cloud_a_queue',
      'broker_queue',
      'relay',
      'cloud_a_stream',
      'cloud_b_bus',
      'cloud_a_storage',
      'cloud_c_topic',
    ])
    expect(registry.list().map((type) => registry.get(type.document.type))).toEqual(registry.list())
    expect(registry.get('pigeon')).toBeUndefined()
    expect(registry.get('constructor')).toBeUndefined()
  })

  it('validates and describes a webhook', () => {
    const webhook = registry.get('webhook')
    const good = { config: { url: 'https://example.com/hook' }, credentials: {} }

    expect(webhook && validateSettings(webhook, good)).toEqual([])
    expect(webhook?.target({ ...good, topics: ['*'] })).toEqual({
      target: 'https://example.com/hook',
      targetUrl: null,
    })
    expect(webhook && validateSettings(webhook, { config: {}, credentials: {} })).toEqual([
      'config.url is required',
    ])
  })

  it('refuses internal members of credentials from callers', () => {
    const webhook = registry.get('webhook')
    const settings = {
      config: { url: 'https://example.com' },
      credentials: { older_secrets: '[]' },
    }

    expect(webhook && validateSettings(webhook, settings)).toEqual([
      'credentials.older_secrets is unknown',
    ])
  })

  it('does not come to be with a setting that makes a type impossible', () => {
    expect(() => createRegistry({ ...options, allowedNetworks: ['all'] })).toThrow('all')
    expect(() =>
      createRegistry({
        ...options,
        webhook: webhookSettings({ signatureHeaderTemplate: '{{.Signatures}}' }),
      }),
    ).toThrow('DESTINATIONS_WEBHOOK_SIGNATURE_HEADER_TEMPLATE')
  })
})
