import { toLogLine } from './loggable.ts'

function logged(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(toLogLine({ message: 'test', ...fields })) as Record<string, unknown>
}

describe('a log line', () => {
  it('describes errors wherever they stand', () => {
    const line = logged({ tries: [{ error: new TypeError('odd') }] })
    expect(line).toMatchObject({ tries: [{ error: { name: 'TypeError', message: 'odd' } }] })
  })

  it('shows no more of an error than is named, whatever hangs on it', () => {
    const error = Object.assign(new Error('refused'), {
      code: 401,
      config: { headers: { authorization: 'secret' } },
      toJSON: () => ({ authorization: 'secret' }),
    })
    const line = logged({ error })
    expect(line['error']).toMatchObject({ message: 'refused', code: 401 })
    expect(JSON.stringify(line)).not.toContain('secret')
  })

  it('describes each reason of an AggregateError', () => {
    const error = new AggregateError([new Error('first'), 'second'], 'all failed')
    expect(logged({ error })['error']).toMatchObject({
      message: 'all failed',
      errors: [{ message: 'first' }, 'second'],
    })
  })

  it('ends a circular chain of causes', () => {
    const error = new Error('outer')
    error.cause = new Error('inner', { cause: error })
    expect(logged({ error })['error']).toMatchObject({ cause: { message: 'inner' } })
  })

  it('writes big integers as text', () => {
    expect(logged({ position: 12345678901234567890n })).toMatchObject({
      position: '12345678901234567890',
    })
  })

  it('says so when the fields cannot be written', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    const line = logged({ circle })
    expect(line['message']).toBe('test')
    expect(line['unloggable']).toMatch('circular')
  })
})
