import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'
import type { Store } from '../store.ts'

/**
 * Runs the statements of one read on one snapshot, so that they agree with each other: a list of failed
 * events shows no event that has succeeded between two of them.
 *
 * Lists must follow their indexes whatever the statistics of a partition say, which are missing on the
 * day it is made: a plan that sorts, or joins by reading a table or a range as a whole, is taken only
 * when there is no other. And of two indexes in the right order it shall be the narrower one: that of a
 * tenant, though the pages of the other may lie better on a disk.
 */
export async function readInSnapshot<T>(
  store: Store,
  read: (db: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  return await store.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      await PLANS_BY_INDEX.execute(trx)
      return await read(trx)
    })
}

/** Lasts until the end of the transaction. */
const PLANS_BY_INDEX = sql`
  select set_config('enable_sort', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('random_page_cost', '1', true)`
