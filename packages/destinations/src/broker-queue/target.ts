import type { Target, TargetSource } from '../destination-type.ts'

/** The exchange, and what messages to it are routed by. */
export function brokerQueueTarget({ config, topics }: TargetSource): Target {
  const { exchange = '', routing_key: routingKey = '' } = config
  const from = exchange === '' ? '(default exchange)' : exchange
  const to = routingKey === '' ? topics.join(', ') : routingKey
  return { target: `${from} -> ${to}`, targetUrl: null }
}
