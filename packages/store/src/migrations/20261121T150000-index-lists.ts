import { type Kysely, sql } from 'kysely'

/** Indexes for what people ask for: an event by its id, and what goes wrong for a tenant. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // By id first: an admin may ask for an id without naming a tenant.
  await sql`create index events_id on events (id, tenant_uid)`.execute(db)
  await sql`drop index events_tenant_id`.execute(db)
  // A destination that is no longer there is still asked for by its id.
  await sql`create index destinations_any_id on destinations (id, tenant_uid)`.execute(db)
  // Failed and skipped deliveries are few among many, and are what people look for. Pending ones are
  // not in it: every delivery begins as one, and they lie at the new end of every list anyway.
  await sql`
    create index deliveries_troubled on deliveries (tenant_uid, status, event_time, event_uid)
    where status in ('failed', 'skipped')`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index deliveries_troubled`.execute(db)
  await sql`drop index destinations_any_id`.execute(db)
  await sql`create index events_tenant_id on events (tenant_uid, id)`.execute(db)
  await sql`drop index events_id`.execute(db)
}
