import { configFaults, targetOf } from '../../test/samples.ts'

const MATCH = 'config.bucket must match ^[a-z0-9][a-z0-9.\\-]*[a-z0-9]$'
const DOTS =
  'config.bucket must not begin with xn--, have two dots in a row or look like an IP address'

function templateFaults(text: string): readonly string[] {
  return configFaults('cloud_a_storage', { key_template: text })
}

describe('bucket of S3', () => {
  it.each(['my-events', 'my.events.1', '0ab', 'logs--usw2-az1--x-s3', 'x'.repeat(63)])(
    'may be named %s',
    (bucket) => {
      expect(configFaults('cloud_a_storage', { bucket })).toEqual([])
    },
  )

  it.each([
    ['', ['config.bucket is required']],
    ['ab', ['config.bucket must be at least 3 characters long']],
    ['xn--a', [DOTS]],
    ['x'.repeat(64), ['config.bucket must be at most 63 characters long']],
    ['My-Events', [MATCH]],
    ['my_events', [MATCH]],
    ['-events', [MATCH]],
    ['events.', [MATCH]],
    ['events/a', [MATCH]],
    ['my..events', [DOTS]],
    ['192.168.5.4', [DOTS]],
  ])('may not be named "%s"', (bucket, faults) => {
    expect(configFaults('cloud_a_storage', { bucket })).toEqual(faults)
  })

  it('is in a region of AWS, unless it is at another endpoint', () => {
    const endpoint = 'https://account.r2.example.com'

    expect(configFaults('cloud_a_storage', { region: 'us-gov-east-1' })).toEqual([])
    expect(configFaults('cloud_a_storage', { region: 'auto', endpoint })).toEqual([])
    expect(configFaults('cloud_a_storage', { region: 'auto' })).toEqual([
      'config.region must be an AWS region, such as eu-west-1',
    ])
    expect(configFaults('cloud_a_storage', { region: 'a.b', endpoint })).toEqual([
      expect.stringContaining('config.region must match'),
    ])
  })

  it('takes a template for its keys, and checks it', () => {
    expect(
      templateFaults(`join('/', [time.year, time.date, data.id, metadata."event-id" || 'none'])`),
    ).toEqual([])
    expect(templateFaults('time.week')).toEqual([
      'config.key_template refers to time.week: there is only year, month, day, hour, minute, second, date, datetime, unix and rfc3339',
    ])
    expect(templateFaults('data.items[*].id')).toEqual([
      expect.stringContaining('config.key_template uses more than names and indexes in a path'),
    ])
  })

  it('knows the storage classes of S3', () => {
    expect(configFaults('cloud_a_storage', { storage_class: 'GLACIER_IR' })).toEqual([])
    expect(configFaults('cloud_a_storage', { storage_class: 'COLD' })).toEqual([
      expect.stringMatching(/^config.storage_class must be one of STANDARD, INTELLIGENT_TIERING, /),
    ])
  })

  it('may not be at an address that is not allowed', () => {
    expect(configFaults('cloud_a_storage', { endpoint: 'http://192.168.0.1:9000' })).toEqual([
      'config.endpoint points to an address that is not allowed',
    ])
  })

  it.each([
    ['eu-west-1', 'https://eu-west-1.console.aws.amazon.com/s3/buckets/my-events?region=eu-west-1'],
    [
      'cn-north-1',
      'https://cn-north-1.console.amazonaws.cn/s3/buckets/my-events?region=cn-north-1',
    ],
    ['us-iso-east-1', null],
  ])('is told by its name and region, with its page in %s', (region, targetUrl) => {
    expect(targetOf('cloud_a_storage', { region })).toEqual({
      target: `my-events in ${region}`,
      targetUrl,
    })
  })

  it('has no page in the console when it is at another endpoint', () => {
    expect(targetOf('cloud_a_storage', { endpoint: 'https://s3.example.com' }).targetUrl).toBeNull()
  })
})
