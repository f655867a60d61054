import { ConfigError } from '@postrider/config'
import { ServerError } from '@postrider/servers'
import { isPostgresAway, SchemaMismatchError } from '@postrider/store'
import { DataDirectoryError } from './kept-secrets.ts'

/** Why it cannot start, for a person: what is wrong and what to do, without a stack trace. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError) {
    return `Postrider cannot start:\n${error.problems.map((problem) => `  - ${problem}`).join('\n')}`
  }
  return `Postrider cannot start: ${reason(error)}`
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof SchemaMismatchError) return error.message
  if (error instanceof ServerError || error instanceof DataDirectoryError) return error.message
  const { code, port, address } = error as NodeJS.ErrnoException & {
    port?: number
    address?: string
  }
  if (code === 'EADDRINUSE') {
    return `port ${port} of ${address} is in use; stop what uses it, or set API_PORT to another one`
  }
  if (code === 'EACCES' && port !== undefined) {
    return `port ${port} may not be opened by this user; set API_PORT to one above 1023`
  }
  if (isPostgresAway(error)) return `Postgres cannot be reached at POSTGRES_URL (${error.message})`
  return error.message
}
