import { choice, integer, seconds, text } from '../kinds.ts'
import { accepted, refused } from '../setting.ts'

export const processSettings = {
  dataDir: text({
    name: 'DATA_DIR',
    line: 'Where the standalone service keeps its embedded PostgreSQL and the secrets it made',
    accepts: 'path',
    fallback: './.data',
    parse: (path) =>
      path.includes('\0') ? refused('must be a path, without NUL') : accepted(path),
  }),
  logLevel: choice({
    name: 'LOG_LEVEL',
    line: 'The least that is logged; failed attempts are `info`, successful ones `debug`',
    values: ['error', 'warn', 'info', 'debug'],
    fallback: 'info',
  }),
  stopTimeoutMs: seconds({
    name: 'STOP_TIMEOUT_SECONDS',
    line: 'How long a service may take to stop before it logs what is left and gives up',
    fallback: 25,
    min: 1,
    max: 3600,
  }),
  retentionDays: integer({
    name: 'RETENTION_DAYS',
    line: 'Events, deliveries and attempts are deleted after this many days, unless one is still open',
    fallback: 30,
    min: 1,
    max: 3650,
  }),
} as const
