import { readReceiverOptions, UsageError } from './options.ts'

describe('the options of the receiver', () => {
  it('are port 4000 and no secret by default', () => {
    expect(readReceiverOptions([])).toEqual({ port: 4000, secrets: [] })
  })

  it('may name a port and several secrets', () => {
    const args = ['--port', '4010', '--secret', 'whsec_a=', '--secret=b']
    expect(readReceiverOptions(args)).toEqual({ port: 4010, secrets: ['whsec_a=', 'b'] })
  })

  it.each([
    [['--port', '70000'], /^--port must be a number up to 65535, not "70000"$/],
    [['--port', 'x'], /^--port must be/],
    [['--secret', ''], /^--secret must not be empty$/],
    [['whsec_a'], /^Unexpected argument 'whsec_a'; usage: npm run receiver/],
    [['--sercet', 'a'], /^Unknown option '--sercet'; usage: npm run receiver/],
  ])('are refused in one line: %j', (args, reason) => {
    expect(() => readReceiverOptions(args)).toThrow(UsageError)
    expect(() => readReceiverOptions(args)).toThrow(reason)
  })
})
