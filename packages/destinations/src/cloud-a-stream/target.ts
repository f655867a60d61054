import type { DestinationSettings, Target } from '../destination-type.ts'

/** The stream and its region. */
export function cloudAStreamTarget({ config }: DestinationSettings): Target {
  return { target: `${config['stream_name'] ?? ''} in ${config['region'] ?? ''}`, targetUrl: null }
}
