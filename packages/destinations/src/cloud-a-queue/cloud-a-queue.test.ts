import { configFaults, credentialFaults, targetOf } from '../../test/samples.ts'

const NO_QUEUE =
  'config.queue_url must be the URL of a queue, such as https://sqs.eu-west-1.amazonaws.com/123456789012/orders'
const NO_REGION = 'config.region is required, because the queue URL names none'
const NOT_ALLOWED = 'points to an address that is not allowed'

describe('queue of SQS', () => {
  it.each([
    'https://sqs.eu-west-1.amazonaws.com/123456789012/orders',
    'https://sqs.us-gov-west-1.amazonaws.com/123456789012/orders.fifo',
    'https://sqs.cn-north-1.amazonaws.com.cn/123456789012/orders',
    'https://sqs-fips.us-east-1.amazonaws.com/123456789012/a_b-C1',
    'https://sqs.us-east-1.api.aws/123456789012/orders',
    'https://eu-west-1.queue.amazonaws.com/123456789012/orders',
    'https://vpce-1.sqs.eu-west-1.vpce.amazonaws.com/123456789012/orders',
    'http://sqs.eu-west-1.localhost.example:4566/000000000000/orders',
  ])('may be at %s', (url) => {
    expect(configFaults('cloud_a_queue', { queue_url: url })).toEqual([])
  })

  it.each([
    ['orders', 'config.queue_url must be an http or https URL'],
    ['arn:aws:sqs:eu-west-1:123456789012:orders', 'config.queue_url must be an http or https URL'],
    [
      'https://me@sqs.eu-west-1.amazonaws.com/123456789012/orders',
      'config.queue_url must not contain a user name or password',
    ],
    ['http://169.254.169.254/123456789012/orders', `config.queue_url ${NOT_ALLOWED}`],
    ['http://2852039166/123456789012/orders', `config.queue_url ${NOT_ALLOWED}`],
    ['https://sqs.eu-west-1.amazonaws.com/orders', NO_QUEUE],
    ['https://sqs.eu-west-1.amazonaws.com/123456789012/', NO_QUEUE],
    ['https://sqs.eu-west-1.amazonaws.com/123456789012/orders?a=1', NO_QUEUE],
    ['https://sqs.eu-west-1.amazonaws.com/123456789012/or ders', NO_QUEUE],
    [`https://sqs.eu-west-1.amazonaws.com/123456789012/${'x'.repeat(81)}`, NO_QUEUE],
    ['https://queue.example.com/123456789012/orders', NO_REGION],
    ['https://queue.amazonaws.com/123456789012/orders', NO_REGION],
  ])('may not be at %s', (url, fault) => {
    expect(configFaults('cloud_a_queue', { queue_url: url })).toEqual([fault])
  })

  it('has the region of its URL, or else the one that is given', () => {
    const elsewhere = 'https://queue.example.com/123456789012/orders'

    expect(configFaults('cloud_a_queue', { queue_url: elsewhere, region: 'eu-west-1' })).toEqual([])
    expect(configFaults('cloud_a_queue', { region: 'eu-west-1' })).toEqual([])
    expect(configFaults('cloud_a_queue', { region: 'us-east-1' })).toEqual([
      'config.region must be eu-west-1, as in the queue URL, or left out',
    ])
    expect(configFaults('cloud_a_queue', { region: 'Ireland' })).toEqual([
      expect.stringContaining('config.region must match'),
    ])
  })

  it.each([
    ['ftp://example.com', 'config.endpoint must be an http or https URL'],
    ['http://10.0.0.1:4566', `config.endpoint ${NOT_ALLOWED}`],
    ['http://[::ffff:10.1.0.1]', `config.endpoint ${NOT_ALLOWED}`],
    ['https://example.com/?a=1', 'config.endpoint must not contain a query or a fragment'],
    ['', 'config.endpoint must not be empty'],
  ])('may not have the endpoint "%s"', (endpoint, fault) => {
    expect(configFaults('cloud_a_queue', { endpoint })).toEqual([fault])
  })

  it.each(['http://10.1.0.1:4566', 'https://sqs.example.com/base'])(
    'may have the endpoint %s',
    (endpoint) => {
      expect(configFaults('cloud_a_queue', { endpoint })).toEqual([])
    },
  )

  it('wants keys as AWS gives them out', () => {
    expect(
      credentialFaults('cloud_a_queue', { key: 'AK IA', secret: undefined, session: '' }),
    ).toEqual([
      expect.stringContaining('credentials.key must match'),
      'credentials.secret is required',
      expect.stringContaining('credentials.session must match'),
    ])
    expect(configFaults('cloud_a_queue', { message_group_id: 'a b' })).toEqual([
      expect.stringContaining('config.message_group_id must match'),
    ])
  })

  it.each([
    [
      'https://sqs.eu-west-1.amazonaws.com/123456789012/orders',
      'https://eu-west-1.console.aws.amazon.com/sqs/v3/home?region=eu-west-1#/queues/https%3A%2F%2Fsqs.eu-west-1.amazonaws.com%2F123456789012%2Forders',
    ],
    [
      'https://sqs.us-gov-west-1.amazonaws.com/123456789012/o',
      'https://us-gov-west-1.console.amazonaws-us-gov.com/sqs/v3/home?region=us-gov-west-1#/queues/https%3A%2F%2Fsqs.us-gov-west-1.amazonaws.com%2F123456789012%2Fo',
    ],
    ['https://sqs.us-iso-east-1.c2s.ic.gov/123456789012/o', null],
    ['https://sqs.eu-west-1.example.com/123456789012/orders', null],
  ])('points to %s and its page', (url, targetUrl) => {
    expect(targetOf('cloud_a_queue', { queue_url: url })).toEqual({ target: url, targetUrl })
  })

  it('has no page in the console when it is at another endpoint', () => {
    const { targetUrl } = targetOf('cloud_a_queue', { endpoint: 'https://sqs.example.com' })

    expect(targetUrl).toBeNull()
  })
})
