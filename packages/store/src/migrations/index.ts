import type { Migration } from 'kysely'
import * as createTables from './20261121T120000-create-tables.ts'
import * as indexLists from './20261121T150000-index-lists.ts'
import * as indexTrouble from './20261121T180000-index-trouble.ts'
import * as createSigningKeys from './20261121T210000-create-signing-keys.ts'

/**
 * A migration, and the oldest code that can live with the schema after it: `servesFrom` is the
 * `SCHEMA_VERSION` of that code, so that old and new processes run side by side during an upgrade.
 */
interface VersionedMigration extends Migration {
  readonly servesFrom: number
}

/** All migrations in order; append only. The schema's version is how many were applied. */
export const migrations: Readonly<Record<string, VersionedMigration>> = {
  '20261121T120000-create-tables': { ...createTables, servesFrom: 1 },
  '20261121T150000-index-lists': { ...indexLists, servesFrom: 1 },
  '20261121T180000-index-trouble': { ...indexTrouble, servesFrom: 1 },
  '20261121T210000-create-signing-keys': { ...createSigningKeys, servesFrom: 1 },
}

/** The schema that this code needs. */
export const SCHEMA_VERSION = Object.keys(migrations).length
