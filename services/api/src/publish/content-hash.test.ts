import { contentHash } from './content-hash.ts'

function hash(topic: string, data: string): string {
  return contentHash(topic, Buffer.from(data)).toString('hex')
}

describe('contentHash', () => {
  it('is the same for the same topic and data', () => {
    expect(hash('user.created', '{"n":1}')).toBe(hash('user.created', '{"n":1}'))
  })

  it('tells every other topic and every other spelling of the data apart', () => {
    const all = [
      hash('user.created', '{"n":1}'),
      hash('user.created', '{"n":1.0}'),
      hash('user.created', '{"n": 1}'),
      hash('user', '.created{"n":1}'),
      hash('', 'user.created{"n":1}'),
      hash('', '{"n":1}'),
    ]

    expect(new Set(all).size).toBe(all.length)
  })
})
