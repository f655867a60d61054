import type { Pool, PoolClient } from 'pg'

/**
 * Runs `work` in a transaction on a connection of its own: commits what it did when it resolves, rolls
 * back when it rejects. A connection whose COMMIT or ROLLBACK failed is dropped, never reused.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      // The first error is the one that says what happened; this one only says that the connection
      // is gone, and with it the transaction.
      broken = rollbackError
    })
    throw error
  } finally {
    client.release(broken)
  }
}
