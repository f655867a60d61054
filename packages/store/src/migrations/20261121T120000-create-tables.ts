import { type Kysely, sql } from 'kysely'

/**
 * The tables of ARCHITECTURE.md "Data". Rows are tied together by uids that are never used again;
 * public ids are attributes, unique within a tenant while it lives.
 *
 * events, deliveries and attempts are partitioned by day of `received_at` (Postgres' clock at
 * publish, cut to milliseconds), which every reference carries along, so that retention drops
 * partitions instead of deleting rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tenants (
      uid uuid primary key,
      id text not null,
      metadata jsonb not null default '{}',
      -- Raised in the transaction of every change to the tenant's destinations: publish reads this
      -- one number to know that what it remembers of them is still true.
      routing_version bigint not null default 1,
      created_at timestamptz not null default date_trunc('milliseconds', now()),
      updated_at timestamptz not null default date_trunc('milliseconds', now()),
      deleted_at timestamptz
    )`.execute(db)
  await sql`create unique index tenants_id on tenants (id) where deleted_at is null`.execute(db)
  await sql`create index tenants_created_at on tenants (created_at, uid) where deleted_at is null`.execute(
    db,
  )

  await sql`
    create table destinations (
      uid uuid primary key,
      tenant_uid uuid not null references tenants (uid),
      id text not null,
      type text not null,
      topics text[] not null,
      filter jsonb,
      config jsonb not null,
      credentials bytea not null,
      delivery_metadata jsonb not null default '{}',
      metadata jsonb not null default '{}',
      disabled_at timestamptz,
      -- Raised by every change; what deliverers compare, and what an outcome that disables names.
      version bigint not null default 1,
      created_at timestamptz not null default date_trunc('milliseconds', now()),
      updated_at timestamptz not null default date_trunc('milliseconds', now()),
      deleted_at timestamptz
    )`.execute(db)
  await sql`
    create unique index destinations_id on destinations (tenant_uid, id) where deleted_at is null
  `.execute(db)

  await sql`
    create table publish_keys (
      tenant_uid uuid not null,
      event_id text not null,
      event_uid uuid not null,
      received_at timestamptz not null,
      content_hash bytea not null,
      expires_at timestamptz not null,
      primary key (tenant_uid, event_id)
    ) partition by hash (tenant_uid, event_id)`.execute(db)
  for (let i = 0; i < PUBLISH_KEY_PARTITIONS; i++) {
    await sql`
      create table ${sql.table(`publish_keys_${i}`)} partition of publish_keys
      for values with (modulus ${sql.lit(PUBLISH_KEY_PARTITIONS)}, remainder ${sql.lit(i)})
    `.execute(db)
  }
  await sql`create index publish_keys_expires_at on publish_keys (expires_at)`.execute(db)

  await sql`
    create table events (
      received_at timestamptz not null,
      uid uuid not null,
      tenant_uid uuid not null,
      id text not null,
      topic text not null,
      time timestamptz not null,
      metadata jsonb not null,
      data bytea not null,
      eligible_for_retry boolean not null,
      matched_destination_ids text[] not null,
      primary key (uid, received_at)
    ) partition by range (received_at)`.execute(db)
  // JSON text compresses badly below 2 KB and costs CPU above: large data goes out of line as it is.
  await sql`alter table events alter column data set storage external`.execute(db)
  await sql`create index events_tenant_time on events (tenant_uid, time, uid)`.execute(db)
  await sql`create index events_time on events (time, uid)`.execute(db)
  await sql`create index events_tenant_id on events (tenant_uid, id)`.execute(db)

  await sql`
    create table deliveries (
      received_at timestamptz not null,
      event_uid uuid not null,
      destination_uid uuid not null,
      tenant_uid uuid not null,
      event_time timestamptz not null,
      status text not null check (status in ('pending', 'success', 'failed', 'skipped')),
      -- Why it is skipped, or failed for good.
      reason text,
      -- When it must next be turned into a job if nothing happens before; null: nothing more to do.
      due_at timestamptz,
      -- True: a job is out and due_at is the end of its lease. False: due_at is the next try.
      leased boolean not null,
      -- Count of jobs made: the fencing token.
      dispatch integer not null,
      -- Since when the next try could have been made; not moved by leases and deferrals.
      waiting_since timestamptz not null,
      -- The publish, manual retry or replay that opened it; its age counts from here.
      open_since timestamptz not null,
      -- The retry that a manual attempt interrupted.
      resume_at timestamptz,
      attempts integer not null default 0,
      tries integer not null default 0,
      faults integer not null default 0,
      losses integer not null default 0,
      manual boolean not null default false,
      eligible_for_retry boolean not null,
      job_bytes integer not null,
      primary key (event_uid, destination_uid, received_at),
      check (not leased or due_at is not null)
    ) partition by range (received_at)`.execute(db)
  await sql`
    create index deliveries_waiting on deliveries (tenant_uid, destination_uid, waiting_since)
    where due_at is not null and not leased`.execute(db)
  await sql`create index deliveries_leased on deliveries (due_at) where leased`.execute(db)
  await sql`
    create index deliveries_destination_time on deliveries (destination_uid, event_time, event_uid)
  `.execute(db)

  await sql`
    create table attempts (
      received_at timestamptz not null,
      uid uuid not null,
      event_uid uuid not null,
      destination_uid uuid not null,
      tenant_uid uuid not null,
      number integer not null,
      dispatch integer not null,
      status text not null check (status in ('success', 'failed')),
      code text not null,
      time timestamptz not null,
      duration_ms integer not null,
      manual boolean not null,
      next_attempt_at timestamptz,
      response_head jsonb,
      -- Bytes: what a receiver answers may hold anything, also U+0000.
      response_body bytea,
      response_cut boolean not null default false,
      primary key (uid, received_at)
    ) partition by range (received_at)`.execute(db)
  await sql`create index attempts_tenant_time on attempts (tenant_uid, time, uid)`.execute(db)
  await sql`create index attempts_time on attempts (time, uid)`.execute(db)
  await sql`create index attempts_event on attempts (event_uid, time, uid)`.execute(db)
  await sql`create index attempts_destination_time on attempts (destination_uid, time, uid)`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of [
    'attempts',
    'deliveries',
    'events',
    'publish_keys',
    'destinations',
    'tenants',
  ]) {
    await sql`drop table ${sql.table(table)}`.execute(db)
  }
}

/** Hash partitions keep the index of a day's keys small enough to stay in memory. */
const PUBLISH_KEY_PARTITIONS = 16
