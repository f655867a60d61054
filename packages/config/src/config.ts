import type { OutcomePolicy } from '@postrider/common'

/** What every service needs to know. Times are milliseconds, sizes bytes. Frozen. */
export interface Config {
  readonly api: {
    readonly host: string
    readonly port: number
    readonly maxRequestBodyBytes: number
    readonly maxEventDataBytes: number
    readonly publishIdempotencyWindowMs: number
    readonly topics: readonly string[]
    readonly topicsAllowWildcards: boolean
    readonly maxDestinationsPerTenant: number
  }
  readonly delivery: {
    readonly host: string
    /** Health and metrics of a deliverer. */
    readonly port: number
    readonly timeoutMs: number
    readonly leaseMs: number
    readonly outcomeGraceMs: number
    /** Jobs that a deliverer holds at once. */
    readonly window: number
    readonly destinationMaxInFlight: number
    readonly policy: OutcomePolicy
  }
  readonly runway: {
    readonly perTenant: number
    readonly totalJobs: number
    readonly totalBytes: number
  }
  /** What the registry of destination types is made with. */
  readonly destinations: DestinationsConfig
  readonly portal: { readonly enableWebhookCustomHeaders: boolean }
  readonly retentionDays: number
  readonly stopTimeoutMs: number
  readonly dataDir: string
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug'
}

export interface DestinationsConfig {
  readonly webhook: {
    readonly mode: 'default' | 'standard'
    /** Lower case; never empty. */
    readonly headerPrefix: string
    readonly disableEventIdHeader: boolean
    readonly disableTimestampHeader: boolean
    readonly disableTopicHeader: boolean
    readonly disableSignatureHeader: boolean
    readonly signatureAlgorithm: 'hmac-sha256' | 'hmac-sha1' | 'hmac-sha512'
    readonly signatureEncoding: 'hex' | 'base64'
    readonly signatureContentTemplate: string
    readonly signatureHeaderTemplate: string
    readonly timestampSource: 'event' | 'attempt'
    readonly maxResponseBodyBytes: number
    /** Null: `postrider/<version>`. */
    readonly userAgent: string | null
    /** `ed25519` adds an asymmetric signature; standard mode only. */
    readonly signing: 'hmac' | 'ed25519'
    /** No plain http. */
    readonly httpsOnly: boolean
    readonly minTlsVersion: 'TLSv1.2' | 'TLSv1.3'
    /** PEM certificates trusted besides the system's; null: none. */
    readonly extraCaFile: string | null
  }
  /** CIDRs that the address guard lets through although they are not public. */
  readonly allowedNetworks: readonly string[]
  /** Where the event gateway takes events; `{id}` stands for the id of the source. */
  readonly relayUrl: string
  /** Asked whether a token is good when a relay is made; null: nobody is. */
  readonly relayVerifyUrl: string | null
  /** Records of Kinesis carry the metadata besides the data. */
  readonly kinesisMetadataInPayload: boolean
  /** A directory with the operator's own texts of destination types; null: none. */
  readonly metadataPath: string | null
}

/**
 * Kept apart from `Config`, so that a configuration may be logged. One that the mode does not need
 * and the environment does not give is empty.
 */
export interface Secrets {
  /** Any of them is the admin's; several while one is being rotated out. */
  readonly apiKeys: readonly string[]
  readonly jwtSecret: string
  /** The first encrypts, all decrypt. */
  readonly encryptionSecrets: readonly string[]
}

/** Where the servers are; null: not set, so the embedded part stands in where the mode has one. */
export interface Urls {
  readonly postgres: string | null
  readonly rabbitmq: string | null
  readonly redis: string | null
  /** The forward proxy that webhooks go through; null: they go directly. */
  readonly webhookProxy: string | null
}

/** Everything that the environment says. */
export interface Settings {
  readonly config: Config
  readonly secrets: Secrets
  readonly urls: Urls
}
