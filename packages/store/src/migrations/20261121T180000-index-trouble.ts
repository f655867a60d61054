import { type Kysely, sql } from 'kysely'

/** What goes wrong anywhere, for whoever runs the service: failed and skipped deliveries by time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index deliveries_troubled_time on deliveries (status, event_time, event_uid)
    where status in ('failed', 'skipped')`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index deliveries_troubled_time`.execute(db)
}
