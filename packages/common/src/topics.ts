/**
 * Whether a destination subscribed to `subscriptions` receives an event of `topic`.
 *
 * `*` alone receives everything; inside a subscription it stands for any run of characters
 * (docs/api.md). An event without a topic matches every destination (docs/api.md).
 */
export function matchesTopic(subscriptions: readonly string[], topic: string): boolean {
  if (topic === '') return true
  return subscriptions.some((subscription) => covers(subscription, topic))
}

function covers(pattern: string, topic: string): boolean {
  if (pattern === '*' || pattern === topic) return true
  if (!pattern.includes('*')) return false
  const first = pattern.slice(0, pattern.indexOf('*'))
  const last = pattern.slice(pattern.lastIndexOf('*') + 1)
  if (topic.length < first.length + last.length) return false
  if (!topic.startsWith(first) || !topic.endsWith(last)) return false
  // The parts between two stars are found greedily from the left: if any placement works, this does.
  let at = first.length
  const end = topic.length - last.length
  for (const part of pattern.split('*').slice(1, -1)) {
    const found = topic.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
