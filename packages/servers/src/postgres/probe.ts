import { Client, DatabaseError } from 'pg'
import { ServerError } from '../server-error.ts'
import { ROLE } from './cluster.ts'

const CONNECT_TIMEOUT_MS = 2000
const DATABASE_MISSING = '3D000'
const DATABASE_EXISTS = '42P04'
const PASSWORD_REFUSED = '28P01'

/**
 * Whether the server answers `select 1` on the database of the url, which is made if it is missing.
 * An open port is not enough: PostgreSQL accepts connections only to say that it is still starting.
 * @throws {ServerError} When it refuses the password: no waiting helps.
 */
export async function answers(url: string): Promise<boolean> {
  try {
    await query(url, 'select 1')
    return true
  } catch (error) {
    if (!(error instanceof DatabaseError)) return false
    if (error.code === PASSWORD_REFUSED) {
      throw new ServerError('The password kept beside the cluster is not the one of its role.')
    }
    if (error.code !== DATABASE_MISSING) return false
  }
  const maintenance = new URL(url)
  maintenance.pathname = '/postgres'
  try {
    await query(maintenance.href, `create database ${ROLE}`)
    return true
  } catch (error) {
    return error instanceof DatabaseError && error.code === DATABASE_EXISTS
  }
}

async function query(connectionString: string, sql: string): Promise<void> {
  const client = new Client({
    connectionString,
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS * 5,
  })
  client.on('error', () => {}) // a server that dies under the probe is an answer, not a crash
  try {
    await client.connect()
    await client.query(sql)
  } finally {
    await client.end().catch(() => {})
  }
}
