import { AddressGuard } from './guard/address-guard.ts'
import { endpointFaults, httpUrlFaults } from './url-faults.ts'

const guard = new AddressGuard({ allowedNetworks: [] })

function faults(url?: string): readonly string[] {
  return endpointFaults('config.endpoint', url, guard)
}

describe('faults of a URL', () => {
  it.each([
    'https://example.com',
    'HTTPS://EXAMPLE.com/hooks?a=b@c#d',
    'http://example.com:1/',
    'http://example.com:65535/@me',
    'http://bücher.example/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]:8443/',
  ])('are none of %s', (url) => {
    expect(httpUrlFaults('config.url', url, guard)).toEqual([])
  })

  it.each([
    ['', 'must be an http or https URL'],
    ['example.com', 'must be an http or https URL'],
    ['//example.com', 'must be an http or https URL'],
    ['ftp://example.com', 'must be an http or https URL'],
    ['file:///etc/passwd', 'must be an http or https URL'],
    ['javascript:alert(1)', 'must be an http or https URL'],
    ['http://', 'must be an http or https URL'],
    ['http://exa mple.com', 'must be an http or https URL'],
    ['http://example.com:65536/', 'must be an http or https URL'],
    ['http://example.com:-1/', 'must be an http or https URL'],
    ['http://example.com:8x/', 'must be an http or https URL'],
    ['http://example.com:0/', 'must have a port from 1 to 65535'],
    ['http://example.com:00/', 'must have a port from 1 to 65535'],
    ['http://user@example.com/', 'must not contain a user name or password'],
    ['http://user:password@example.com/', 'must not contain a user name or password'],
    ['http://:password@example.com/', 'must not contain a user name or password'],
    ['http://@example.com/', 'must not contain a user name or password'],
    ['https://example.com:@evil.test/', 'must not contain a user name or password'],
    [String.raw`http:\\user@example.com/`, 'must not contain a user name or password'],
    ['http:user@example.com/', 'must not contain a user name or password'],
    ['http://127.0.0.1/', 'points to an address that is not allowed'],
    ['http:127.1/', 'points to an address that is not allowed'],
    [String.raw`http:\\127.1\hooks`, 'points to an address that is not allowed'],
    ['http:///127.0.0.1/', 'points to an address that is not allowed'],
    ['http://12\t7.0.0.1/', 'points to an address that is not allowed'],
    [' http://127.0.0.1 ', 'points to an address that is not allowed'],
    ['http://metadata.google.internal/', 'points to an address that is not allowed'],
  ])('tell of "%s" that it %s', (url, fault) => {
    expect(httpUrlFaults('config.url', url, guard)).toEqual([`config.url ${fault}`])
  })
})

describe('faults of an endpoint', () => {
  it('are those of its URL, and that paths could not be added to it', () => {
    expect(faults()).toEqual([])
    expect(faults('https://sqs.example.com/base')).toEqual([])
    expect(faults('https://10.0.0.1/')).toEqual([
      'config.endpoint points to an address that is not allowed',
    ])
    expect(faults('https://sqs.example.com/?a')).toEqual([
      'config.endpoint must not contain a query or a fragment',
    ])
  })
})
