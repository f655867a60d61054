import type { StringMap } from '@postrider/common'
import { AddressGuard } from '../guard/address-guard.ts'
import { validateWebhook } from './validate.ts'

const rules = {
  guard: new AddressGuard({ allowedNetworks: [] }),
  headerPrefix: 'x-service-',
  httpsOnly: false,
}

function urlFaults(url: string): readonly string[] {
  return validateWebhook({ config: { url }, credentials: {} }, rules)
}

function headerFaults(headers: StringMap): readonly string[] {
  const config = { url: 'https://example.com', custom_headers: JSON.stringify(headers) }
  return validateWebhook({ config, credentials: {} }, rules)
}

function timeFaults(previous_secret_invalid_at: string): readonly string[] {
  const config = { url: 'https://example.com' }
  return validateWebhook({ config, credentials: { previous_secret_invalid_at } }, rules)
}

describe('URL of a webhook', () => {
  it.each([
    'https://example.com/hook?a=1',
    'http://hooks.example.com:8080',
    'https://bücher.example',
  ])('may be %s', (url) => {
    expect(urlFaults(url)).toEqual([])
  })

  it.each([
    ['nonsense', 'config.url must be an http or https URL'],
    ['ftp://example.com', 'config.url must be an http or https URL'],
    ['//example.com', 'config.url must be an http or https URL'],
    ['https://me:pw@example.com', 'config.url must not contain a user name or password'],
    ['https://me@example.com', 'config.url must not contain a user name or password'],
    ['http://127.0.0.1', 'config.url points to an address that is not allowed'],
    ['http://0x7f.1', 'config.url points to an address that is not allowed'],
  ])('may not be %s', (url, fault) => {
    expect(urlFaults(url)).toEqual([fault])
  })
})

describe('custom headers', () => {
  it('may be anything that HTTP and the service leave free', () => {
    expect(
      headerFaults({ Authorization: 'Bearer a b', 'x-service-region': 'eu', '1_a-B': '' }),
    ).toEqual([])
  })

  it.each([
    'Content-Type',
    'content-length',
    'HOST',
    'connection',
    'user-agent',
    'transfer-encoding',
    'expect',
    'upgrade',
    'keep-alive',
    'te',
    'trailer',
    'proxy-authorization',
    'X-Service-Id',
    'x-service-timestamp',
    'x-service-topic',
    'x-service-signature',
  ])('may not be %s', (name) => {
    expect(headerFaults({ [name]: 'x' })).toEqual([`config.custom_headers.${name} is reserved`])
  })

  it.each(['', '-a', '_a', 'a b', 'a:b', 'é', 'a\r\nb'])('may not be named "%s"', (name) => {
    expect(headerFaults({ [name]: 'x' })).toEqual([
      `config.custom_headers.${name} must start with a letter or digit and contain only letters, digits, underscore and hyphen`,
    ])
  })

  it.each([
    ['a line break', 'a\r\nx-forged: 1', 'must contain only visible ASCII characters and spaces'],
    ['a tab', 'a\tb', 'must contain only visible ASCII characters and spaces'],
    ['what is not ASCII', 'é', 'must contain only visible ASCII characters and spaces'],
    ['more than 4 KiB', 'a'.repeat(4097), 'must be at most 4096 bytes long'],
  ])('may not have %s in a value', (_, value, fault) => {
    expect(headerFaults({ 'x-a': value })).toEqual([`config.custom_headers.x-a ${fault}`])
  })

  it('are at most 32, and differ by more than case', () => {
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`x-${i}`, '']))

    expect(headerFaults(many)).toEqual(['config.custom_headers must have at most 32 headers'])
    expect(headerFaults({ 'X-A': '1', 'x-a': '2' })).toEqual([
      'config.custom_headers.x-a is given twice: header names do not differ by case',
    ])
  })

  it('are reported with all faults in one answer', () => {
    expect(headerFaults({ host: 'é', 'a b': '' })).toHaveLength(3)
  })
})

describe('time of a previous secret', () => {
  it.each([
    '2026-11-21T12:00:00Z',
    '2026-11-21t12:00:00.123456z',
    '2026-11-21T12:00:00+05:30',
    '2026-12-31T23:59:60Z',
  ])('may be %s', (time) => {
    expect(timeFaults(time)).toEqual([])
  })

  it.each([
    'tomorrow',
    '2026-11-21',
    '2026-11-21T12:00:00',
    '2026-13-21T12:00:00Z',
    '2026-02-30T12:00:00Z',
    '1700000000',
  ])('may not be %s', (time) => {
    expect(timeFaults(time)).toEqual([
      'credentials.previous_secret_invalid_at must be a time of RFC 3339',
    ])
  })
})
