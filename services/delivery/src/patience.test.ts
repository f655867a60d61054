import { type Log, type LogFields } from '@postrider/common'
import { silentLog, waitFor } from '@postrider/testkit'
import { withPatience } from './patience.ts'

const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' })
const refused = Object.assign(new Error('invalid input syntax'), { code: '22P02' })

/** Work that fails with each of these in turn and then succeeds. */
function failing(...errors: readonly Error[]): {
  work: () => Promise<string>
  tries: () => number
} {
  let tries = 0
  return {
    work: async () => {
      const error = errors[tries++]
      if (error !== undefined) throw error
      return 'done'
    },
    tries: () => tries,
  }
}

describe('patience', () => {
  const { signal } = new AbortController()
  const options = { what: 'testing', log: silentLog, signal }

  it('passes on what succeeds at once', async () => {
    const { work, tries } = failing()
    expect(await withPatience(work, options)).toBe('done')
    expect(tries()).toBe(1)
  })

  it('repeats while Postgres is away or says that the same work can succeed', async () => {
    const { work, tries } = failing(away, deadlock, away)
    expect(await withPatience(work, options)).toBe('done')
    expect(tries()).toBe(4)
  })

  it('throws at once what Postgres refused', async () => {
    const { work, tries } = failing(refused)
    await expect(withPatience(work, options)).rejects.toBe(refused)
    expect(tries()).toBe(1)
  })

  it('says once that it waits, and for what', async () => {
    const lines: (LogFields | undefined)[] = []
    const log: Log = { ...silentLog, warn: (_, fields) => void lines.push(fields) }
    await withPatience(failing(away, away, away).work, { ...options, log })
    expect(lines).toEqual([{ what: 'testing', error: away }])
  })

  it('gives up its wait at once when it is told to, with the last error', async () => {
    const giveUp = new AbortController()
    let tries = 0
    const gone = withPatience(
      () => {
        tries++
        return Promise.reject(away)
      },
      { ...options, signal: giveUp.signal },
    )
    // By then it pauses for a second or more.
    await waitFor(() => tries === 6, { what: 'six tries' })
    const before = performance.now()
    giveUp.abort()
    await expect(gone).rejects.toBe(away)
    expect(performance.now() - before).toBeLessThan(500)
  })

  it('still tries once when it was told to give up before', async () => {
    const { work, tries } = failing(away)
    await expect(withPatience(work, { ...options, signal: AbortSignal.abort() })).rejects.toBe(away)
    expect(tries()).toBe(1)
  })
})
