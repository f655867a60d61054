import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as tls from 'node:tls'
import { isError } from '../is-error.ts'

export interface TlsOptions {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3'
  /** A file of PEM certificates that are trusted besides the system's; null: none. */
  readonly extraCaFile: string | null
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/**
 * What connections over TLS have in common, made once: the certificates that are trusted are many, and
 * reading them again for each connection would cost more than its handshake.
 *
 * @throws {Error} When the file cannot be read, or is not one of certificates
 */
export function createTlsContext({ minVersion, extraCaFile }: TlsOptions): tls.SecureContext {
  if (extraCaFile === null) return tls.createSecureContext({ minVersion })
  const ca = [...systemRoots(), ...readCertificates(extraCaFile)]
  return tls.createSecureContext({ minVersion, ca })
}

/**
 * What Node trusts by default. From 22.15 on that includes NODE_EXTRA_CA_CERTS and what
 * `--use-system-ca` adds; before, Node does not tell, and these are its own roots.
 */
function systemRoots(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (of: 'default') => string[] }
  return getCACertificates?.('default') ?? tls.rootCertificates
}

function readCertificates(path: string): readonly string[] {
  const refuse = (what: string, cause?: unknown): Error =>
    new Error(`DESTINATIONS_WEBHOOK_EXTRA_CA_FILE: ${path} ${what}`, { cause })
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw refuse(`cannot be read: ${isError(error) ? error.message : String(error)}`, error)
  }
  const certificates = text.match(CERTIFICATE) ?? []
  if (certificates.length === 0) throw refuse('contains no PEM certificate')
  certificates.forEach((certificate, index) => {
    try {
      void new X509Certificate(certificate)
    } catch (error) {
      throw refuse(`is damaged: certificate ${index + 1} cannot be parsed`, error)
    }
  })
  return certificates
}
