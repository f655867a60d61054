import type { DestinationSettings, Target } from '../destination-type.ts'

/** The topic and its project, and where it is in the console of Google Cloud. */
export function cloudCTopicTarget({ config }: DestinationSettings): Target {
  const { project_id: project = '', topic = '', endpoint } = config
  return {
    target: `${project}/${topic}`,
    targetUrl:
      endpoint === undefined
        ? `https://console.cloud.google.com/cloudpubsub/topic/detail/${encodeURIComponent(topic)}?project=${encodeURIComponent(project)}`
        : null,
  }
}
