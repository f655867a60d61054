import * as fc from 'fast-check'
import { matchesTopic } from './topics.ts'

describe('a topic', () => {
  it('matches a subscription of the same name', () => {
    expect(matchesTopic(['user.created'], 'user.created')).toBe(true)
    expect(matchesTopic(['user.created'], 'user.created.v2')).toBe(false)
    expect(matchesTopic(['user.created'], 'User.created')).toBe(false)
  })

  it('matches when one of several subscriptions does', () => {
    expect(matchesTopic(['a', 'b'], 'b')).toBe(true)
    expect(matchesTopic(['a', 'b'], 'c')).toBe(false)
    expect(matchesTopic([], 'c')).toBe(false)
  })

  it('matches the subscription to everything', () => {
    expect(matchesTopic(['*'], 'user.created')).toBe(true)
  })

  it('that is empty matches every destination', () => {
    expect(matchesTopic(['user.created'], '')).toBe(true)
    expect(matchesTopic([], '')).toBe(true)
  })

  it.each([
    ['user.*', 'user.created', true],
    ['user.*', 'user.', true],
    ['user.*', 'user', false],
    ['*.created', 'user.created', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['a*bc*c', 'abc', false],
    ['a.c*', 'abc', false],
  ])('%s and %s', (subscription, topic, matches) => {
    expect(matchesTopic([subscription], topic)).toBe(matches)
  })

  it('matches as a regular expression of the same meaning does', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*') })
    const topic = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), minLength: 1 })
    fc.assert(
      fc.property(pattern, topic, (subscription, name) => {
        const model = new RegExp(`^${subscription.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
        expect(matchesTopic([subscription], name)).toBe(subscription === name || model.test(name))
      }),
      { numRuns: 2000 },
    )
  })
})
