import type { RetryPolicy } from '@postrider/common'
import type { Config, DestinationsConfig } from './config.ts'
import type { Values, ValuesOf } from './table.ts'
import type { deliverySettings } from './settings/delivery-settings.ts'
import type { destinationSettings } from './settings/destination-settings.ts'

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/**
 * Joins the values to a configuration and settles the defaults that depend on others.
 *
 * @param isEmbedded - Postgres is embedded too: a developer's machine, where receivers are on
 *   loopback and nobody else should reach the API
 */
export function toConfig(values: Values, isEmbedded: boolean): Config {
  const { api, delivery, destinations, process } = values
  const listenHost = isEmbedded ? '127.0.0.1' : '0.0.0.0'
  return {
    api: { ...api, host: api.host ?? listenHost },
    delivery: {
      host: delivery.host ?? listenHost,
      port: delivery.port,
      timeoutMs: delivery.timeoutMs,
      leaseMs: delivery.leaseMs,
      outcomeGraceMs: delivery.outcomeGraceMs,
      window: delivery.window,
      destinationMaxInFlight: delivery.destinationMaxInFlight,
      policy: { retry: retryPolicy(delivery), maxAgeMs: delivery.maxAgeMs },
    },
    runway: {
      perTenant: delivery.tenantRunway,
      totalJobs: delivery.brokerRunwayJobs,
      totalBytes: delivery.brokerRunwayBytes,
    },
    destinations: destinationsConfig(destinations, isEmbedded),
    portal: { enableWebhookCustomHeaders: destinations.enableWebhookCustomHeaders },
    retentionDays: process.retentionDays,
    stopTimeoutMs: process.stopTimeoutMs,
    dataDir: process.dataDir,
    logLevel: process.logLevel,
  }
}

function retryPolicy(delivery: ValuesOf<typeof deliverySettings>): RetryPolicy {
  return delivery.retryScheduleMs.length > 0
    ? { kind: 'schedule', delaysMs: delivery.retryScheduleMs }
    : {
        kind: 'exponential',
        intervalMs: delivery.retryIntervalMs,
        maxRetries: delivery.maxRetries,
      }
}

function destinationsConfig(
  destinations: ValuesOf<typeof destinationSettings>,
  isEmbedded: boolean,
): DestinationsConfig {
  const isStandardMode = destinations.mode === 'standard'
  return {
    webhook: {
      mode: destinations.mode,
      headerPrefix: destinations.headerPrefix ?? (isStandardMode ? 'webhook-' : 'x-service-'),
      disableEventIdHeader: destinations.disableEventIdHeader,
      disableTimestampHeader: destinations.disableTimestampHeader,
      disableTopicHeader: destinations.disableTopicHeader,
      disableSignatureHeader: destinations.disableSignatureHeader,
      signatureAlgorithm: destinations.signatureAlgorithm,
      signatureEncoding: destinations.signatureEncoding,
      signatureContentTemplate: destinations.signatureContentTemplate,
      signatureHeaderTemplate: destinations.signatureHeaderTemplate,
      // Receivers of Standard Webhooks refuse old timestamps, so late retries must carry new ones.
      timestampSource: destinations.timestampSource ?? (isStandardMode ? 'attempt' : 'event'),
      maxResponseBodyBytes: destinations.maxResponseBodyBytes,
      userAgent: destinations.userAgent,
      signing: destinations.signing,
      httpsOnly: destinations.httpsOnly,
      minTlsVersion: `TLSv${destinations.minTlsVersion}`,
      extraCaFile: destinations.extraCaFile,
    },
    allowedNetworks: destinations.allowedNetworks ?? (isEmbedded ? LOOPBACK : []),
    relayUrl: destinations.relayUrl,
    relayVerifyUrl: destinations.relayVerifyUrl,
    kinesisMetadataInPayload: destinations.kinesisMetadataInPayload,
    metadataPath: destinations.metadataPath,
  }
}
