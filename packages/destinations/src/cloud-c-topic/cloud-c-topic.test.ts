import { validateSettings } from '../validate-fields.ts'
import {
  configFaults,
  credentialFaults,
  settingsOf,
  targetOf,
  typeNamed,
} from '../../test/samples.ts'

const REQUIRED = 'credentials.service_account_json is required'
const FORM =
  'credentials.service_account_json must be a JSON object with the type service_account, client_email and private_key'

function faultsWithoutAccount(endpoint: string): readonly string[] {
  const settings = settingsOf('cloud_c_topic', {
    config: { endpoint },
    credentials: { service_account_json: undefined },
  })
  return validateSettings(typeNamed('cloud_c_topic'), settings)
}

describe('topic of Pub/Sub', () => {
  it.each(['orders', 'Orders.v1_a~b%2B+c-d', 'x'.repeat(255)])('may be named %s', (topic) => {
    expect(configFaults('cloud_c_topic', { topic })).toEqual([])
  })

  it.each(['ab', '1orders', 'goog-orders', 'or ders', 'projects/p/topics/orders', 'x'.repeat(256)])(
    'may not be named "%s"',
    (topic) => {
      expect(configFaults('cloud_c_topic', { topic })).toHaveLength(1)
    },
  )

  it.each(['acme-prod', 'example.com:acme-prod'])('may be in the project %s', (project) => {
    expect(configFaults('cloud_c_topic', { project_id: project })).toEqual([])
  })

  it.each(['Acme', 'acme prod', '123456', '-acme', 'acme-', 'a/b'])(
    'may not be in the project "%s"',
    (project) => {
      expect(configFaults('cloud_c_topic', { project_id: project })).toHaveLength(1)
    },
  )

  it.each([
    'nothing',
    '[]',
    'null',
    '"text"',
    '{}',
    '{"type":"service_account","client_email":"a@b"}',
    '{"type":"service_account","client_email":"a@b","private_key":""}',
    '{"type":"service_account","client_email":1,"private_key":"x"}',
    '{"type":"external_account","client_email":"a@b","private_key":"x"}',
  ])('is not published to with the key file %s', (text) => {
    expect(credentialFaults('cloud_c_topic', { service_account_json: text })).toEqual([FORM])
  })

  it('needs a service account', () => {
    expect(credentialFaults('cloud_c_topic', { service_account_json: undefined })).toEqual([
      REQUIRED,
    ])
  })

  it.each(['10.1.0.1:8085', 'http://10.1.0.1:8085/', 'pubsub.internal:8085'])(
    'needs none at the endpoint %s',
    (endpoint) => {
      expect(faultsWithoutAccount(endpoint)).toEqual([])
    },
  )

  it.each([
    '93.184.216.34:8085',
    'pubsub.googleapis.com',
    'europe-west1-pubsub.googleapis.com:443',
  ])('needs one at %s, where the operator has not sent it', (endpoint) => {
    expect(faultsWithoutAccount(endpoint)).toEqual([REQUIRED])
  })

  it.each([
    ['127.0.0.1:8085', 'config.endpoint points to an address that is not allowed'],
    ['http://0x7f.1', 'config.endpoint points to an address that is not allowed'],
    ['pubsub.internal:0', 'config.endpoint must be host or host:port'],
    ['pubsub.internal:65536', 'config.endpoint must be host or host:port'],
    ['ftp://pubsub.internal', 'config.endpoint must be host or host:port'],
    ['me@pubsub.internal', 'config.endpoint must be host or host:port'],
    ['pubsub.internal/path', 'config.endpoint must be host or host:port'],
  ])('may not be at the endpoint %s', (endpoint, fault) => {
    expect(configFaults('cloud_c_topic', { endpoint })).toEqual([fault])
  })

  it('is told by its project and name, with its page in the console', () => {
    expect(targetOf('cloud_c_topic')).toEqual({
      target: 'acme-prod/orders',
      targetUrl:
        'https://console.cloud.google.com/cloudpubsub/topic/detail/orders?project=acme-prod',
    })
    expect(targetOf('cloud_c_topic', { endpoint: 'pubsub.internal:8085' }).targetUrl).toBeNull()
  })
})
