import type { Log, LogFields } from '@postrider/common'
import { createLogger as createWinston, format, transports } from 'winston'
import { toLogLine } from './loggable.ts'

type Level = keyof Log

export interface LoggerOptions {
  /** What is less important than this is not written. */
  readonly level: Level
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

/** Where winston keeps the finished line of an entry. */
const MESSAGE = Symbol.for('message')

/**
 * A logger that writes one JSON object a line: time, level, service, message, then the fields, none of
 * which can take the place of these four. Errors among the fields become their name, message, code, stack
 * and causes. Logging never throws. Lines are written at once: there is nothing to flush at the end.
 */
export function createLogger({ level: threshold, service, write }: LoggerOptions): Logger {
  const winston = createWinston({
    level: threshold,
    format: format.printf(({ level, message, fields }) => {
      const head = { time: new Date().toISOString(), level, service, message }
      return toLogLine({ ...head, ...(fields as LogFields), ...head })
    }),
    transports: [
      write === undefined
        ? new transports.Console({ stderrLevels: [] })
        : new transports.Console({ log: (line, next) => (write(String(line[MESSAGE])), next()) }),
    ],
  })
  const make = (fixed: LogFields): Logger => {
    const at = (level: Level): Log[Level] => {
      // Decided once, so that a line nobody wants costs nothing on the delivery path.
      if (!winston.isLevelEnabled(level)) return () => undefined
      // Fields stay in one of their own: winston gives a meaning to some names beside the message.
      return (message, fields) => {
        winston.log({ level, message, fields: { ...fixed, ...fields } })
      }
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
