import { createLogger, type LoggerOptions } from './logger.ts'

function logged(level: LoggerOptions['level'] = 'info') {
  const lines: Record<string, unknown>[] = []
  const log = createLogger({
    level,
    service: 'test',
    write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  })
  return { log, lines }
}

describe('the logger', () => {
  it('writes one JSON object a line, with its fields beside the message', () => {
    const { log, lines } = logged()
    log.info('delivery attempted', { eventId: 'evt_1', code: '200' })
    expect(lines).toMatchObject([
      { level: 'info', service: 'test', message: 'delivery attempted', eventId: 'evt_1' },
    ])
    expect(lines[0]?.['time']).toMatch(/^\d{4}-.*Z$/)
  })

  it('leaves out what is less important than its level', () => {
    const { log, lines } = logged('warn')
    log.info('not this')
    log.debug('nor this')
    log.warn('but this')
    expect(lines.map(({ message }) => message)).toEqual(['but this'])
  })

  it('writes an error with its code and its causes', () => {
    const { log, lines } = logged()
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    log.error('a round failed', { error: new Error('no answer', { cause }) })
    expect(lines[0]?.['error']).toMatchObject({
      name: 'Error',
      message: 'no answer',
      cause: { message: 'refused', code: 'ECONNREFUSED' },
    })
  })

  it('adds the fields of a child to each of its lines, and to no other', () => {
    const { log, lines } = logged()
    log.child({ requestId: 'r1' }).info('one', { n: 1 })
    log.info('two')
    expect(lines[0]).toMatchObject({ requestId: 'r1', n: 1 })
    expect(lines[1]).not.toHaveProperty('requestId')
  })

  it('lets no field take the place of what every line has', () => {
    const { log, lines } = logged()
    log.info('one', { message: 'two', level: 'error', service: 'other', time: 0, stack: 'mine' })
    expect(lines[0]).toMatchObject({
      message: 'one',
      level: 'info',
      service: 'test',
      stack: 'mine',
    })
    expect(lines[0]?.['time']).toMatch(/Z$/)
  })
})
