/** The variables that name the servers of a test run. */
export type ServerVariable = 'POSTGRES_URL' | 'RABBITMQ_URL' | 'REDIS_URL'

/**
 * The url of a server that this test run may use.
 * @throws {Error} When the run has none: says how to get one.
 */
export function testServerUrl(variable: ServerVariable): string {
  // Tests have no configuration of their own to read it from.
  // oxlint-disable-next-line node/no-process-env
  const url = process.env[variable]
  if (url === undefined || url === '') {
    throw new Error(
      `${variable} is not set: run \`npm test\`, or \`scripts/services up\` and then \`eval "$(scripts/services env)"\`.`,
    )
  }
  return url
}

/** The number of the jest worker, from 1: what a worker may share with no other can be named after it. */
export function workerNumber(): number {
  // oxlint-disable-next-line node/no-process-env
  return Number(process.env['JEST_WORKER_ID'] ?? 1)
}
