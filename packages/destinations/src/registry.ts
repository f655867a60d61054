import type { Log } from '@postrider/common'
import { createBrokerQueueType } from './broker-queue/broker-queue-type.ts'
import { createCloudAQueueType } from './cloud-a-queue/cloud-a-queue-type.ts'
import { createCloudAStorageType } from './cloud-a-storage/cloud-a-storage-type.ts'
import { createCloudAStreamType } from './cloud-a-stream/cloud-a-stream-type.ts'
import { createCloudBBusType } from './cloud-b-bus/cloud-b-bus-type.ts'
import { createCloudCTopicType } from './cloud-c-topic/cloud-c-topic-type.ts'
import type { DestinationType } from './destination-type.ts'
import { AddressGuard } from './guard/address-guard.ts'
import { createRelayType } from './relay/relay-type.ts'
import { overrideTexts } from './texts/override-texts.ts'
import type { WebhookSettings } from './webhook/settings.ts'
import { createWebhookType } from './webhook/webhook-type.ts'

const CONNECT_TIMEOUT_MS = 5000
const RELAY_URL = 'https://hkdk.events/{id}'

export interface RegistryOptions {
  readonly webhook: WebhookSettings
  /** The forward proxy that webhooks go through. Default: none. */
  readonly webhookProxyUrl?: string | null
  /** CIDRs that the address guard lets through although they are not public. */
  readonly allowedNetworks: readonly string[]
  /** Postrider's own version, for the user agent. */
  readonly version: string
  /** What a connection may take; normally the delivery timeout. Default 5 000. */
  readonly connectTimeoutMs?: number
  /** Where the gateway takes events; `{id}` stands for the source's id. Default: Hookdeck's. */
  readonly relayUrl?: string
  /** Where it is asked whether a token is good; `{id}` stands for the source's id. Default: nobody is. */
  readonly relayVerifyUrl?: string | null
  /** Records of Kinesis carry the metadata besides the data. Default true. */
  readonly kinesisMetadataInPayload?: boolean
  /** A directory with texts in place of the types' own, read once. Default: none. */
  readonly metadataPath?: string | null
  readonly log: Log
}

/** The destination types that there are. */
export interface Registry {
  get(type: string): DestinationType | undefined
  /** In the order in which they are shown. */
  list(): readonly DestinationType[]
}

/**
 * Makes every destination type; a new one is a folder and a line here.
 *
 * @throws {Error} When a setting makes a type impossible, with the setting's name; when a text cannot
 *   be used, with its path
 */
export function createRegistry(options: RegistryOptions): Registry {
  const { webhook, allowedNetworks, version, connectTimeoutMs = CONNECT_TIMEOUT_MS, log } = options
  const { relayUrl = RELAY_URL, relayVerifyUrl = null, metadataPath = null } = options
  const { webhookProxyUrl = null } = options
  const guard = new AddressGuard({ allowedNetworks })
  const userAgent = webhook.userAgent ?? `postrider/${version}`
  const http = {
    guard,
    connectTimeoutMs,
    maxBodyBytes: webhook.maxResponseBodyBytes,
    userAgent,
    log,
  }
  const own: readonly DestinationType[] = [
    createWebhookType({ ...http, settings: webhook, proxyUrl: webhookProxyUrl }),
    createCloudAQueueType(http),
    createBrokerQueueType(guard, connectTimeoutMs),
    createRelayType({
      ...http,
      url: relayUrl,
      verifyUrl: relayVerifyUrl,
      headerPrefix: webhook.headerPrefix,
    }),
    createCloudAStreamType({ ...http, hasMetadata: options.kinesisMetadataInPayload ?? true }),
    createCloudBBusType(guard, connectTimeoutMs),
    createCloudAStorageType(http),
    createCloudCTopicType(guard),
  ]
  const types = metadataPath === null ? own : overrideTexts(own, metadataPath)
  const byName = new Map(types.map((type) => [type.document.type, type]))
  return { get: (type) => byName.get(type), list: () => types }
}
