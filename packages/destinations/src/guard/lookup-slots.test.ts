import { LookupSlots } from './lookup-slots.ts'

describe('lookup slots', () => {
  let slots: LookupSlots
  let order: string[]

  beforeEach(() => {
    slots = new LookupSlots()
    order = []
  })

  /** Waits for ever, unless it is given a signal. */
  async function take(
    tenant: string,
    label: string,
    signal = new AbortController().signal,
  ): Promise<() => void> {
    const giveBack = await slots.take(tenant, signal)
    order.push(label)
    return giveBack
  }

  it('are two for each tenant, then those that come back, first come first served', async () => {
    const [first, second] = [await take('a', '1'), await take('a', '2')]
    const [third, fourth] = [take('a', '3'), take('a', '4')]
    await take('b', 'of another')
    expect(order).toEqual(['1', '2', 'of another'])

    second()
    await third
    first()
    await fourth
    expect(order).toEqual(['1', '2', 'of another', '3', '4'])
  })

  it('go to the next who still waits', async () => {
    const first = await take('a', '1')
    await take('a', '2')
    const impatient = new AbortController()
    const third = take('a', '3', impatient.signal).catch((error: unknown) => error)
    const fourth = take('a', '4')

    impatient.abort()
    expect(await third).toMatchObject({ code: 'dns_error' })
    first()
    await fourth
    expect(order).toEqual(['1', '2', '4'])
  })

  it('are two again when all have been given back', async () => {
    for (const label of ['1', '2', '3', '4']) (await take('a', label))()
    await Promise.all([take('a', '5'), take('a', '6')])
    void take('a', '7')
    await take('b', 'of another')

    expect(order).toEqual(['1', '2', '3', '4', '5', '6', 'of another'])
  })

  it('have no more than a thousand waiting', async () => {
    await Promise.all([take('a', '1'), take('a', '2')])
    const waiting = Array.from({ length: 1000 }, (_, i) => take('a', `waiting ${i}`))

    await expect(take('a', 'too many')).rejects.toMatchObject({ code: 'dns_error' })
    await take('b', 'of another')
    expect(waiting).toHaveLength(1000)
    expect(order).toEqual(['1', '2', 'of another'])
  })
})
