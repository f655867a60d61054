import type { Log, LogFields } from '@postrider/common'
import { createLogger as createWinston, format, transports } from 'winston'

export interface LoggerOptions {
  /** What is less important than this is not written. */
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  /** The service that speaks; a field of every line. */
  readonly service: string
  /** Gets each line, without its newline. (Default: standard output) */
  readonly write?: (line: string) => void
}

/** A log whose lines carry fixed fields besides their own. */
export interface Logger extends Log {
  /** A log that adds these fields to every line. */
  child(fields: LogFields): Logger
}

/**
 * A logger that writes one JSON object a line: time, level, service, message, then the fields. Errors
 * among the fields become their name, message, code, stack and causes.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { write } = options
  const winston = createWinston({
    level: options.level,
    format: format.printf(({ level, message, ...fields }) =>
      JSON.stringify({
        time: new Date().toISOString(),
        level,
        service: options.service,
        message,
        ...fields,
      }),
    ),
    transports: [
      write === undefined
        ? new transports.Console({ stderrLevels: [] })
        : new transports.Console({ log: (line, next) => (write(String(line[MESSAGE])), next()) }),
    ],
  })
  const make = (fixed: LogFields): Logger => {
    // Checked here, so that a line nobody wants costs nothing on the delivery path.
    const at =
      (level: LoggerOptions['level']): Log['info'] =>
      (message, fields) => {
        if (!winston.isLevelEnabled(level)) return
        winston.log(level, message, plain({ ...fixed, ...fields }))
      }
    return {
      error: at('error'),
      warn: at('warn'),
      info: at('info'),
      debug: at('debug'),
      child: (fields) => make({ ...fixed, ...fields }),
    }
  }
  return make({})
}

/** Where winston keeps the finished line of an entry. */
const MESSAGE = Symbol.for('message')

const MAX_CAUSES = 5

function plain(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? describeError(value, MAX_CAUSES) : value,
    ]),
  )
}

function describeError(error: Error, depth: number): LogFields {
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(error.cause instanceof Error && depth > 0
      ? { cause: describeError(error.cause, depth - 1) }
      : {}),
  }
}
