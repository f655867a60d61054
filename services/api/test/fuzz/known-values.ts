import * as fc from 'fast-check'
import { EXAMPLE } from '../contract/world.ts'
import type { KnownValues } from './schema-arbitrary.ts'

const FILTERS: readonly unknown[] = [
  {},
  { topic: 'order.created' },
  { data: { order: { $gt: 1 } } },
  { $or: [{ data: { a: 1 } }, { metadata: { source: 'shop' } }] },
  { $not: { data: { tags: { $in: ['a', 'b'] } } } },
  { time: { $gte: '2026-01-01T00:00:00Z' }, data: { name: { $startsWith: 'x', $exist: true } } },
  { $or: [] },
  { data: { a: { $unknown: 1 } } },
]

const from = (...values: readonly unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values)

const mostly = (first: string, ...others: readonly string[]): fc.Arbitrary<unknown> =>
  from(first, first, first, first, ...others)

/**
 * What leads somewhere: ids of what is there, or will be by and by, and cursors that were given.
 *
 * @param cursors - grows and changes while the fuzz runs
 */
export function knownValues(cursors: readonly string[]): KnownValues {
  const topics = ['order.created', 'order.paid', 'user.created', '*', '']
  const cursor = fc.nat(50).map((i) => cursors[i % Math.max(cursors.length, 1)] ?? 'none')
  return {
    tenant_id: mostly(EXAMPLE.tenant, 'other', 'third'),
    destination_id: mostly(EXAMPLE.destination, 'des_1', 'des_2'),
    event_id: mostly(EXAMPLE.event, 'evt_1', 'evt_2', 'evt_3'),
    type: mostly('webhook', 'relay', 'pigeon'),
    attempt_id: from(EXAMPLE.attempt),
    id: from('evt_1', 'evt_2', 'evt_3', 'des_1', 'des_2', EXAMPLE.destination),
    topic: from(...topics),
    topics: from('*', ['*'], ['order.created'], ['order.created', 'order.paid'], ['order.*']),
    url: from('http://127.0.0.1:9/hook', 'https://example.com/hook', 'ftp://example.com'),
    custom_headers: from('{"x-team":"billing"}', '{"Host":"x"}', '{', '{"a\\n":"b"}', '[]'),
    rotate_secret: from('true', true, 'false'),
    filter: from(...FILTERS),
    next: cursor,
    prev: cursor,
  }
}
