import { type Kysely, sql } from 'kysely'

/** The key pairs that tenants' webhooks are signed with, besides the destinations' own secrets. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tenant_signing_keys (
      uid uuid primary key,
      tenant_uid uuid not null references tenants (uid),
      -- The thumbprint of the public key (RFC 7638): its name in the published set.
      kid text not null,
      -- The 32 bytes of RFC 8032.
      public_key bytea not null check (octet_length(public_key) = 32),
      -- Encrypted, for this row alone.
      private_key bytea not null,
      created_at timestamptz not null,
      -- When it stops signing and leaves the published set; null: the current one.
      invalid_at timestamptz
    )`.execute(db)
  // What makes the first key of a tenant one, however many processes need it at once.
  await sql`
    create unique index tenant_signing_keys_current on tenant_signing_keys (tenant_uid)
    where invalid_at is null`.execute(db)
  await sql`create index tenant_signing_keys_tenant on tenant_signing_keys (tenant_uid)`.execute(db)
  await sql`
    create index tenant_signing_keys_expiry on tenant_signing_keys (invalid_at)
    where invalid_at is not null`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table tenant_signing_keys`.execute(db)
}
