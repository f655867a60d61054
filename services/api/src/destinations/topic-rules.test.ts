import { topicFaults } from './topic-rules.ts'

describe('topics of a destination', () => {
  const free = { configured: [], allowWildcards: false }
  const configured = { configured: ['user.created', 'order.paid'], allowWildcards: true }

  it.each([
    ['any topic, when none are configured', ['a', 'b.c'], free],
    ['all topics', ['*'], configured],
    ['a configured topic', ['order.paid'], configured],
    ['a wildcard that matches a configured topic', ['*.created'], configured],
    ['a wildcard, when no topics are configured', ['a*'], { ...free, allowWildcards: true }],
    ['what is no list, which the schema refuses', 5, free],
  ])('may be %s', (_, topics, rules) => {
    expect(topicFaults(topics, rules)).toEqual([])
  })

  it.each([
    [
      'a topic that is not configured',
      ['user.created', 'x'],
      configured,
      'topics[1] must be one of',
    ],
    ['a wildcard that matches none', ['x.*'], configured, 'topics[0] must be one of'],
    ['a wildcard, when those are not allowed', ['a*'], free, 'topics[0] must not contain *'],
  ])('may not be %s', (_, topics, rules, fault) => {
    expect(topicFaults(topics, rules)).toEqual([expect.stringContaining(fault)])
  })
})
