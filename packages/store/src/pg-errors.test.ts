import { runInNewContext } from 'node:vm'
import { isPostgresAway, isUniqueViolation, reactionTo } from './pg-errors.ts'

function failure(code: string, message = 'said by Postgres'): Error {
  return Object.assign(new Error(message), { code })
}

describe('reactionTo', () => {
  it.each([
    ['ECONNREFUSED', 'away'],
    ['57P01', 'away'],
    ['08006', 'away'],
    ['40P01', 'again'],
    ['40001', 'again'],
    ['57014', 'again'],
    ['22021', 'refused'],
    ['23514', 'refused'],
  ])('takes %s as %s', (code, reaction) => {
    expect(reactionTo(failure(code))).toBe(reaction)
  })

  it('tells a missing partition from other violated checks', () => {
    const message = 'no partition of relation "events" found for row'

    expect(reactionTo(failure('23514', message))).toBe('no-partition')
  })

  it('knows failures of the driver that carry no code', () => {
    expect(reactionTo(new Error('Connection terminated unexpectedly'))).toBe('away')
    expect(reactionTo(new Error('timeout exceeded when trying to connect'))).toBe('away')
    expect(reactionTo(new Error('something else'))).toBe('refused')
    expect(reactionTo('not an error at all')).toBe('refused')
    expect(reactionTo(null)).toBe('refused')
  })

  it('looks into a connection that failed over several addresses', () => {
    expect(reactionTo(new AggregateError([failure('ECONNREFUSED')]))).toBe('away')
    expect(reactionTo(new AggregateError([new Error('something else')]))).toBe('refused')
  })

  it('knows errors of another realm', () => {
    const error: unknown = runInNewContext(
      `Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })`,
    )

    expect(error).not.toBeInstanceOf(Error)
    expect(isPostgresAway(error)).toBe(true)
  })
})

describe('isUniqueViolation', () => {
  it('can ask for a certain index', () => {
    const error = Object.assign(failure('23505'), { constraint: 'tenants_id' })

    expect(isUniqueViolation(error)).toBe(true)
    expect(isUniqueViolation(error, 'tenants_id')).toBe(true)
    expect(isUniqueViolation(error, 'destinations_id')).toBe(false)
    expect(isUniqueViolation(failure('23503'))).toBe(false)
  })
})
