import {
  createRegistry,
  type DestinationSettings,
  type DestinationType,
  validateSettings,
} from '@postrider/destinations'
import type { StringMap } from '@postrider/common'
import { SILENT_LOG, webhookSettings } from './factories.ts'

const AWS = { key: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

/** Settings of every type that pass validation. */
const SAMPLES: Readonly<Record<string, DestinationSettings>> = {
  webhook: { config: { url: 'https://example.com/hook' }, credentials: {} },
  cloud_a_queue: {
    config: { queue_url: 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders' },
    credentials: AWS,
  },
  broker_queue: {
    config: { server_url: 'mq.example.com:5671/events', exchange: 'orders', tls: 'true' },
    credentials: { username: 'events', password: 'a long password' },
  },
  relay: {
    config: {},
    credentials: { token: Buffer.from('src_1:a-key-of-the-gateway').toString('base64') },
  },
  cloud_a_stream: {
    config: { stream_name: 'orders.v1_a-b', region: 'us-gov-west-1' },
    credentials: AWS,
  },
  cloud_b_bus: {
    config: { name: 'orders' },
    credentials: {
      connection_string:
        'Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0PQ==',
    },
  },
  cloud_a_storage: {
    config: { bucket: 'my-events', region: 'eu-west-1' },
    credentials: AWS,
  },
  cloud_c_topic: {
    config: { project_id: 'acme-prod', topic: 'orders' },
    credentials: {
      service_account_json: JSON.stringify({
        type: 'service_account',
        client_email: 'events@acme-prod.iam.gserviceaccount.com',
        private_key: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
      }),
    },
  },
}

/** All types; besides public addresses, destinations may be in 10.1.0.0/16. */
export const registry = createRegistry({
  webhook: webhookSettings(),
  allowedNetworks: ['10.1.0.0/16'],
  version: 'test',
  log: SILENT_LOG,
})

/** A type by its name. */
export function typeNamed(name: string): DestinationType {
  const type = registry.get(name)
  if (type === undefined) throw new Error(`there is no type ${name}`)
  return type
}

/** Members that are other than in the sample; undefined: it is not there. */
export type Changes = Readonly<Record<string, string | undefined>>

/** Good settings of a type, with changes. */
export function settingsOf(
  name: string,
  changes: { readonly config?: Changes; readonly credentials?: Changes } = {},
): DestinationSettings {
  const sample = SAMPLES[name]
  if (sample === undefined) throw new Error(`there are no sample settings of ${name}`)
  return {
    config: changed(sample.config, changes.config),
    credentials: changed(sample.credentials, changes.credentials),
  }
}

/** The faults of good settings of a type after changes to its config. */
export function configFaults(name: string, config: Changes): readonly string[] {
  return validateSettings(typeNamed(name), settingsOf(name, { config }))
}

/** The faults of good settings of a type after changes to its credentials. */
export function credentialFaults(name: string, credentials: Changes): readonly string[] {
  return validateSettings(typeNamed(name), settingsOf(name, { credentials }))
}

/** Where good settings of a type point to after changes to their config. */
export function targetOf(name: string, config: Changes = {}, topics: readonly string[] = ['*']) {
  return typeNamed(name).target({ ...settingsOf(name, { config }), topics })
}

function changed(map: StringMap, changes: Changes = {}): StringMap {
  const members = new Map(Object.entries(map))
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) members.delete(key)
    else members.set(key, value)
  }
  return Object.fromEntries(members)
}
