import type { Log, LogFields } from '@postrider/common'

/** A log that keeps its lines as `level message`, and the fields of each beside them. */
export interface RecordingLog extends Log {
  readonly lines: string[]
  readonly fields: LogFields[]
}

export function recordingLog(): RecordingLog {
  const lines: string[] = []
  const fieldsOfLines: LogFields[] = []
  const record =
    (level: string) =>
    (message: string, fields: LogFields = {}): void => {
      lines.push(`${level} ${message}`)
      fieldsOfLines.push(fields)
    }
  return {
    lines,
    fields: fieldsOfLines,
    error: record('error'),
    warn: record('warn'),
    info: record('info'),
    debug: record('debug'),
  }
}
