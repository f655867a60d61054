import {
  configFaults,
  credentialFaults,
  settingsOf,
  targetOf,
  typeNamed,
} from '../../test/samples.ts'

const PATH = 'credentials.connection_string'
const FORM = `${PATH} must have the form Endpoint=sb://<namespace>/;SharedAccessKeyName=…;SharedAccessKey=…`
const KEY = 'SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0PQ=='

describe('queue or topic of Service Bus', () => {
  it.each(['orders', 'Orders.v1/eu_west-1', '1', 'x'.repeat(260)])('may be named %s', (name) => {
    expect(configFaults('cloud_b_bus', { name })).toEqual([])
  })

  it.each(['/orders', 'orders/', 'or ders', 'orders?', 'x'.repeat(261), ''])(
    'may not be named "%s"',
    (name) => {
      expect(configFaults('cloud_b_bus', { name })).toHaveLength(1)
    },
  )

  it.each([
    `Endpoint=sb://acme.servicebus.windows.net/;${KEY}`,
    `Endpoint=sb://acme.servicebus.windows.net;${KEY};EntityPath=orders`,
    `  ${KEY} ; Endpoint=sb://acme.servicebus.usgovcloudapi.net/ ; `,
    'Endpoint=sb://acme.servicebus.windows.net/;SharedAccessSignature=SharedAccessSignature sr=a&sig=b',
    `Endpoint=sb://10.1.0.1:5672;${KEY};UseDevelopmentEmulator=true`,
  ])('may be reached by %s', (text) => {
    expect(credentialFaults('cloud_b_bus', { connection_string: text })).toEqual([])
  })

  it.each([
    ['acme.servicebus.windows.net', FORM],
    [KEY, FORM],
    [`Endpoint=https://acme.servicebus.windows.net/;${KEY}`, FORM],
    [`Endpoint=sb://;${KEY}`, FORM],
    [`Endpoint=sb://me@acme.example/;${KEY}`, FORM],
    ['Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=send', FORM],
    ['Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=;SharedAccessKey=a', FORM],
    [`Endpoint=sb://127.0.0.1:5672;${KEY}`, `${PATH} points to an address that is not allowed`],
    [`Endpoint=sb://2130706433/;${KEY}`, `${PATH} points to an address that is not allowed`],
    [
      `Endpoint=sb://acme.servicebus.windows.net/;${KEY};EntityPath=invoices`,
      `${PATH} is for invoices, not for the queue or topic in config.name`,
    ],
  ])('may not be reached by %s', (text, fault) => {
    expect(credentialFaults('cloud_b_bus', { connection_string: text })).toEqual([fault])
  })

  it.each([
    ['sb://acme.servicebus.windows.net/', 'acme/orders'],
    ['sb://acme.servicebus.chinacloudapi.cn', 'acme/orders'],
    ['sb://10.1.0.1:5672', '10.1.0.1:5672/orders'],
  ])('at %s is told by its namespace and name', (endpoint, target) => {
    const settings = settingsOf('cloud_b_bus', {
      credentials: { connection_string: `Endpoint=${endpoint};${KEY}` },
    })

    expect(typeNamed('cloud_b_bus').target({ ...settings, topics: [] }).target).toBe(target)
  })

  it('has no page of its own', () => {
    expect(targetOf('cloud_b_bus')).toEqual({ target: 'acme/orders', targetUrl: null })
  })
})
