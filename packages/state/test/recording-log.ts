import type { Log, LogFields } from '@postrider/common'

/** A log that keeps its lines as `level message`, and the fields of each beside them. */
export interface RecordingLog extends Log {
  readonly lines: string[]
  readonly fields: LogFields[]
}

export function recordingLog(): RecordingLog {
  const lines: string[] = []
  const allFields: LogFields[] = []
  const record =
    (level: string) =>
    (message: string, fields: LogFields = {}): void => {
      lines.push(`${level} ${message}`)
      allFields.push(fields)
    }
  return {
    lines,
    fields: allFields,
    error: record('error'),
    warn: record('warn'),
    info: record('info'),
    // What only helps a search for a cause is no behaviour.
    debug: () => undefined,
  }
}
