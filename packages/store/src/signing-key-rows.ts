import { newUid } from '@postrider/common'
import type { Pool, PoolClient } from 'pg'
import { plainArray, textArray } from './arrays.ts'
import type { CredentialsCipher } from './credentials-cipher.ts'
import { type KeyPair, newKeyPair } from './key-pair.ts'

/** Which rows of tenant_signing_keys, as `k`, still sign. */
export const IN_FORCE = '(k.invalid_at is null or k.invalid_at > clock_timestamp())'

/** The current key, then the newest of those before it. */
export const NEWEST_FIRST = 'k.invalid_at is null desc, k.created_at desc, k.uid desc'

/**
 * Makes a key for each of these tenants that has none. Of any number of processes that do so at once,
 * one makes it; afterwards all of them read the same.
 */
export async function insertMissingKeys(
  pool: Pool,
  cipher: CredentialsCipher,
  tenantUids: readonly string[],
): Promise<void> {
  const keys = await Promise.all(tenantUids.map(async () => await newSealedKey(cipher)))
  // The tenants' rows first, as a rotation does, which holds them until it has its own key in: the
  // other way round each of the two would wait for the other. And in order, as others who come for the
  // same tenants do. A tenant that was deleted while this waited gets no key.
  await pool.query(
    `with tenant as (
       select uid from tenants
       where uid = any($2::uuid[]) and deleted_at is null
       order by uid for share
     )
     insert into tenant_signing_keys (uid, tenant_uid, kid, public_key, private_key, created_at)
     select n.uid, n.tenant_uid, n.kid, decode(n.public_key, 'base64'),
       decode(n.private_key, 'base64'), date_trunc('milliseconds', clock_timestamp())
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[])
         as n (uid, tenant_uid, kid, public_key, private_key)
       join tenant on tenant.uid = n.tenant_uid
     order by n.tenant_uid
     on conflict (tenant_uid) where invalid_at is null do nothing`,
    [
      plainArray(keys.map(({ uid }) => uid)),
      plainArray(tenantUids),
      textArray(keys.map(({ pair }) => pair.kid)),
      textArray(keys.map(({ pair }) => pair.publicKey.toString('base64'))),
      textArray(keys.map(({ sealed }) => sealed.toString('base64'))),
    ],
  )
}

/** A key pair and the row that it becomes. */
export interface SealedKey {
  readonly uid: string
  readonly pair: KeyPair
  /** Its private half, encrypted for that row. */
  readonly sealed: Buffer
}

export async function newSealedKey(cipher: CredentialsCipher): Promise<SealedKey> {
  const uid = newUid()
  const pair = await newKeyPair()
  const text = pair.privateKey.toString('base64')
  return { uid, pair, sealed: cipher.encrypt({ private_key: text }, uid) }
}

/**
 * PKCS #8, DER.
 *
 * @throws {UndecryptableError} When no configured secret opens it
 */
export function openSealedKey(
  cipher: CredentialsCipher,
  row: { readonly uid: string; readonly private_key: Buffer },
): Buffer {
  return Buffer.from(cipher.decrypt(row.private_key, row.uid)['private_key'] ?? '', 'base64')
}

/** Inserts the current key of a tenant whose row is locked and which has none. */
export async function insertCurrentKey(
  client: PoolClient,
  tenantUid: string,
  { uid, pair, sealed }: SealedKey,
): Promise<void> {
  await client.query(
    `insert into tenant_signing_keys (uid, tenant_uid, kid, public_key, private_key, created_at)
     values ($1, $2, $3, $4, $5, date_trunc('milliseconds', clock_timestamp()))`,
    [uid, tenantUid, pair.kid, pair.publicKey, sealed],
  )
}

/** What no longer signs need not be kept, and what is not kept cannot get into wrong hands. */
export async function deleteExpiredSigningKeys(pool: Pool): Promise<void> {
  await pool.query('delete from tenant_signing_keys where invalid_at <= clock_timestamp()')
}
