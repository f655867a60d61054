import { configFaults, credentialFaults, targetOf } from '../../test/samples.ts'
import { parseServerUrl } from './server-url.ts'

const FORM = 'config.server_url must be host, host:port or host:port/vhost'
const NOT_ALLOWED = 'config.server_url points to an address that is not allowed'

describe('server of RabbitMQ', () => {
  it.each<[string, string, number | null, string]>([
    ['mq.example.com', 'mq.example.com', null, '/'],
    ['mq.example.com/', 'mq.example.com', null, '/'],
    ['MQ.example.com:5671', 'mq.example.com', 5671, '/'],
    ['mq.example.com:80/events', 'mq.example.com', 80, 'events'],
    ['mq.example.com/%2F', 'mq.example.com', null, '/'],
    ['mq.example.com/a%2Fb', 'mq.example.com', null, 'a/b'],
    ['10.1.0.1:5672', '10.1.0.1', 5672, '/'],
    ['[2606:2800:220:1::1]:5672/v', '[2606:2800:220:1::1]', 5672, 'v'],
  ])('may be %s', (text, host, port, vhost) => {
    expect(configFaults('broker_queue', { server_url: text })).toEqual([])
    const server = parseServerUrl(text)
    expect([server?.hostUrl.hostname, server?.port, server?.vhost]).toEqual([host, port, vhost])
  })

  it.each([
    ['', 'config.server_url is required'],
    ['amqps://mq.example.com', 'config.server_url must not begin with a scheme'],
    ['me:pw@mq.example.com', 'config.server_url must not contain a user name or password'],
    [':5672', FORM],
    ['mq.example.com:port', FORM],
    ['mq.example.com:0', FORM],
    ['mq.example.com:70000', FORM],
    ['mq.example.com/a/b', FORM],
    ['mq.example.com/%zz', FORM],
    [`mq.example.com/${'x'.repeat(256)}`, FORM],
    ['mq.example.com?heartbeat=1', FORM],
    ['mq example com', FORM],
    ['[::1', FORM],
    ['127.0.0.1:5672', NOT_ALLOWED],
    ['0177.0.0.1', NOT_ALLOWED],
    ['2130706433:5672/v', NOT_ALLOWED],
    ['[::1]:5672', NOT_ALLOWED],
    ['[::ffff:10.1.0.1]', NOT_ALLOWED],
  ])('may not be "%s"', (text, fault) => {
    expect(configFaults('broker_queue', { server_url: text })).toEqual([fault])
  })

  it('takes names as AMQP can say them', () => {
    expect(configFaults('broker_queue', { exchange: '', routing_key: '' })).toEqual([])
    expect(configFaults('broker_queue', { exchange: 'é'.repeat(128) })).toEqual([
      'config.exchange must be at most 255 bytes long',
    ])
    expect(configFaults('broker_queue', { routing_key: 'é'.repeat(128) })).toEqual([
      'config.routing_key must be at most 255 bytes long',
    ])
    expect(configFaults('broker_queue', { exchange: 'a\nb' })).toEqual([
      expect.stringContaining('config.exchange must match'),
    ])
    expect(credentialFaults('broker_queue', { username: 'é'.repeat(128), password: '' })).toEqual([
      'credentials.password is required',
    ])
    expect(credentialFaults('broker_queue', { username: 'é'.repeat(128) })).toEqual([
      'credentials.username must be at most 255 bytes long',
    ])
    expect(configFaults('broker_queue', { tls: 'yes' })).toEqual([
      'config.tls must be true or false',
    ])
  })

  it.each([
    [{}, 'orders -> user.created, user.updated'],
    [{ routing_key: 'users' }, 'orders -> users'],
    [{ exchange: '', routing_key: 'inbox' }, '(default exchange) -> inbox'],
    [{ exchange: undefined }, '(default exchange) -> user.created, user.updated'],
  ])('with %j is told by its exchange and routing', (config, target) => {
    const topics = ['user.created', 'user.updated']

    expect(targetOf('broker_queue', config, topics)).toEqual({ target, targetUrl: null })
  })
})
