import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A request in default mode that openssl signed. */
export interface DefaultVector {
  readonly algorithm: 'hmac-sha256' | 'hmac-sha1' | 'hmac-sha512'
  readonly encoding: 'hex' | 'base64'
  readonly timestamp: string
  /** In the order of their signatures. */
  readonly secrets: readonly string[]
  readonly bodyBase64: string
  readonly header: string
}

/** A request in standard mode that openssl signed. */
export interface StandardVector {
  readonly id: string
  readonly timestamp: string
  readonly secrets: readonly string[]
  readonly bodyBase64: string
  readonly header: string
}

export const VECTORS_PATH = fileURLToPath(new URL('vectors', import.meta.url))
export const DEFAULT_VECTORS = read('default-mode.json') as readonly DefaultVector[]
export const STANDARD_VECTORS = read('standard-mode.json') as readonly StandardVector[]

function read(file: string): unknown {
  return JSON.parse(readFileSync(`${VECTORS_PATH}/${file}`, 'utf8'))
}
