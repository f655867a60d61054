import { readDemoOptions } from './options.ts'

describe('the options of the demo', () => {
  it('are none, or a Postrider and its key', () => {
    expect(readDemoOptions([])).toBeNull()
    expect(readDemoOptions(['--url', 'http://localhost:3333/', '--key', 'pr_a'])).toEqual({
      url: 'http://localhost:3333',
      apiKey: 'pr_a',
    })
  })

  it.each([
    [['--url', 'http://localhost'], /^--url and --key belong together; usage: npm run demo/],
    [['--key', 'pr_a'], /^--url and --key belong together/],
    [['--url', 'localhost:3333', '--key', 'a'], /^--url must be an http or https URL/],
    [['--url', 'nothing', '--key', 'a'], /^--url must be an http or https URL/],
    [['--fast'], /^Unknown option '--fast'; usage/],
  ])('are refused in one line: %j', (args, reason) => {
    expect(() => readDemoOptions(args)).toThrow(reason)
  })
})
