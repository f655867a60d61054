import { waitFor } from './wait-for.ts'

describe('waitFor', () => {
  it('returns the first answer that is one', async () => {
    const answers = [false, null, undefined, 0]

    expect(await waitFor(() => answers.shift(), { what: 'an answer' })).toBe(0)
  })

  it('names what it waited for in vain', async () => {
    await expect(waitFor(() => false, { what: 'the moon', deadlineMs: 20 })).rejects.toThrow(
      'Waited 20 ms in vain for the moon.',
    )
  })

  it('lets the failure of the condition through', async () => {
    await expect(
      waitFor(() => Promise.reject(new Error('broken')), { what: 'anything' }),
    ).rejects.toThrow('broken')
  })
})
