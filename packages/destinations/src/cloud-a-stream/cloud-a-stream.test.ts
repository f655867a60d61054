import { configFaults, targetOf } from '../../test/samples.ts'

function templateFaults(text: string): readonly string[] {
  return configFaults('cloud_a_stream', { partition_key_template: text })
}

describe('stream of Kinesis', () => {
  it.each([
    'eu-west-1',
    'ap-southeast-5',
    'us-gov-west-1',
    'us-gov-east-1',
    'cn-northwest-1',
    'us-isob-east-1',
    'eusc-de-east-1',
  ])('may be in %s', (region) => {
    expect(configFaults('cloud_a_stream', { region })).toEqual([])
  })

  it.each([
    'EU-WEST-1',
    'eu-west',
    'eu west 1',
    'eu-west-1.evil.example',
    'eu-west-1/',
    '1',
    'x'.repeat(33),
  ])('may not be in "%s"', (region) => {
    expect(configFaults('cloud_a_stream', { region })).not.toEqual([])
  })

  it.each(['orders', 'Orders.v1_a-b', '1', 'x'.repeat(128)])('may be named %s', (name) => {
    expect(configFaults('cloud_a_stream', { stream_name: name })).toEqual([])
  })

  it.each([
    ['', 'config.stream_name is required'],
    ['or ders', 'config.stream_name must match ^[a-zA-Z0-9_.-]+$'],
    ['arn:aws:kinesis:…', 'config.stream_name must match ^[a-zA-Z0-9_.-]+$'],
    ['x'.repeat(129), 'config.stream_name must be at most 128 characters long'],
  ])('may not be named "%s"', (name, fault) => {
    expect(configFaults('cloud_a_stream', { stream_name: name })).toEqual([fault])
  })

  it('takes a template for its partition keys, and checks it', () => {
    expect(templateFaults("join('-', [data.account, metadata.region])")).toEqual([])
    expect(templateFaults('data.')).toEqual([
      expect.stringContaining('config.partition_key_template is not a JMESPath expression: '),
    ])
    expect(templateFaults('time.year')).toEqual([
      'config.partition_key_template refers to time: there is only metadata and data',
    ])
    expect(templateFaults('')).toEqual(['config.partition_key_template must not be empty'])
  })

  it('may be at another endpoint, but not at an address that is not allowed', () => {
    expect(configFaults('cloud_a_stream', { endpoint: 'http://10.1.2.3:4567' })).toEqual([])
    expect(configFaults('cloud_a_stream', { endpoint: 'http://127.0.0.1:4567' })).toEqual([
      'config.endpoint points to an address that is not allowed',
    ])
  })

  it('is told by its name and region', () => {
    const config = { stream_name: 'orders.v1_a-b', region: 'us-gov-west-1' }
    expect(targetOf('cloud_a_stream', config)).toEqual({
      target: 'orders.v1_a-b in us-gov-west-1',
      targetUrl: null,
    })
  })
})
