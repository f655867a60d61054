import { Kysely, Migrator, PostgresDialect, sql } from 'kysely'
import type { Pool } from 'pg'
import { migrations, SCHEMA_VERSION } from './migrations/index.ts'
import { ensurePartitions } from './partitions.ts'

/** The schema in the database is not one that this code can work with. */
export class SchemaMismatchError extends Error {
  override readonly name = 'SchemaMismatchError'
}

/**
 * Brings the schema up to date and makes the partitions of the coming days. Processes that migrate at
 * once take turns (Kysely locks its own table). Never goes down.
 *
 * @returns the names of the migrations applied
 * @throws {SchemaMismatchError} When the database was migrated by newer code
 */
export async function migrate(pool: Pool): Promise<string[]> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: borrowed(pool) }) })
  const before = await readSchemaVersion(pool)
  if (before.version > SCHEMA_VERSION) throw mismatch(before)
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  await recordVersion(db)
  await ensurePartitions(pool)
  return (results ?? []).map((result) => result.migrationName)
}

/**
 * Checks that the schema serves this code.
 *
 * @throws {SchemaMismatchError} When the schema is behind, or no longer serves this code; the message
 *   names the command to run
 */
export async function checkSchema(pool: Pool): Promise<void> {
  const found = await readSchemaVersion(pool)
  if (found.version < SCHEMA_VERSION || found.servesFrom > SCHEMA_VERSION) throw mismatch(found)
}

interface SchemaVersion {
  readonly version: number
  readonly servesFrom: number
}

async function readSchemaVersion(pool: Pool): Promise<SchemaVersion> {
  const exists = await pool.query<{ found: boolean }>(
    `select to_regclass('schema_version') is not null as found`,
  )
  if (exists.rows[0]?.found !== true) return { version: 0, servesFrom: 0 }
  const { rows } = await pool.query<{ version: number; serves_from: number }>(
    'select version, serves_from from schema_version',
  )
  return { version: rows[0]?.version ?? 0, servesFrom: rows[0]?.serves_from ?? 0 }
}

async function recordVersion(db: Kysely<unknown>): Promise<void> {
  const servesFrom = Math.max(...Object.values(migrations).map((m) => m.servesFrom))
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(7700000000002)`.execute(trx)
    await sql`
      create table if not exists schema_version (
        one boolean primary key default true check (one),
        version integer not null,
        serves_from integer not null
      )`.execute(trx)
    await sql`
      insert into schema_version (version, serves_from) values (${SCHEMA_VERSION}, ${servesFrom})
      on conflict (one) do update
      set version = excluded.version, serves_from = excluded.serves_from
      where schema_version.version < excluded.version`.execute(trx)
  })
}

function mismatch(found: SchemaVersion): SchemaMismatchError {
  if (found.version < SCHEMA_VERSION) {
    return new SchemaMismatchError(
      `the database schema is at version ${found.version}, this code needs ${SCHEMA_VERSION}: run \`npm run migrate\``,
    )
  }
  return new SchemaMismatchError(
    `the database schema (version ${found.version}) no longer serves this code (version ${SCHEMA_VERSION}): run a newer release`,
  )
}

/** Kysely ends the pool it was given when it is destroyed; this one belongs to the caller. */
function borrowed(pool: Pool): { connect: Pool['connect']; end: () => Promise<void> } {
  return { connect: pool.connect.bind(pool), end: () => Promise.resolve() }
}
