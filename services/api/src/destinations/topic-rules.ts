import { matchesTopic } from '@postrider/common'

export interface TopicRules {
  /** The topics that events can have; none: any. */
  readonly configured: readonly string[]
  /** Whether `*` may stand inside a topic. */
  readonly allowWildcards: boolean
}

/** What is wrong with the topics of a destination that a schema cannot say (docs/api.md). */
export function topicFaults(topics: unknown, rules: TopicRules): string[] {
  if (!Array.isArray(topics)) return []
  return topics.flatMap((topic: unknown, i) => {
    const fault = typeof topic === 'string' ? topicFault(topic, rules) : null
    return fault === null ? [] : [`topics[${i}] ${fault}`]
  })
}

function topicFault(topic: string, { configured, allowWildcards }: TopicRules): string | null {
  if (topic === '*') return null
  const isWildcard = topic.includes('*')
  if (isWildcard && !allowWildcards) {
    return 'must not contain * (TOPICS_ALLOW_WILDCARDS is not set)'
  }
  if (configured.length === 0) return null
  const isKnown = isWildcard
    ? configured.some((each) => matchesTopic([topic], each))
    : configured.includes(topic)
  return isKnown ? null : `must be one of the configured topics: ${configured.join(', ')}`
}
