/** Facts of one log line; ids, codes, durations. Never payloads, never secrets. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * What packages need of a logger; services hand one in. The message is a fixed sentence, the data is
 * in the fields. `error` means that a person must act.
 */
export interface Log {
  error(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
}
