import type { ChannelCredentials } from '@grpc/grpc-js'
import type * as Grpc from '@grpc/grpc-js'
import type { AccountTokens } from './account-tokens.ts'

export interface SecureOptions {
  /** Null: the calls carry no token. */
  readonly tokens: AccountTokens | null
  /** Trusted in place of what Node trusts, PEM; null: Node's own. */
  readonly rootCertificates: Buffer | null
}

/** TLS, with a token of the account on every call. */
export function secureCredentials(
  { credentials, Metadata }: typeof Grpc,
  { tokens, rootCertificates }: SecureOptions,
): ChannelCredentials {
  const tls = credentials.createSsl(rootCertificates)
  if (tokens === null) return tls
  const token = credentials.createFromMetadataGenerator((_, callback) => {
    const metadata = new Metadata()
    metadata.set('authorization', tokens.header(Date.now()))
    callback(null, metadata)
  })
  return credentials.combineChannelCredentials(tls, token)
}
