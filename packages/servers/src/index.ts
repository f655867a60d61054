export { freePort } from './free-port.ts'
export { PostgresServer, type PostgresOptions } from './postgres/postgres-server.ts'
export { ServerError } from './server-error.ts'
export type { Server } from './server.ts'
