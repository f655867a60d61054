import type { DestinationSettings, Target } from '../destination-type.ts'

/** The source: by its name when that is known, else by its id. */
export function relayTarget({ config }: DestinationSettings): Target {
  const { source_name: name = '', source_id: id = '' } = config
  return { target: name === '' ? `source ${id}` : name, targetUrl: null }
}
