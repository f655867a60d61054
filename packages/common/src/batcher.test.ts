import { Batcher } from './batcher.ts'

/** Work that ends when the test says so. */
function heldWork() {
  const batches: (readonly string[])[] = []
  const ends: (() => void)[] = []
  return {
    batches,
    run: async (items: readonly string[]): Promise<string[]> => {
      batches.push(items)
      await new Promise<void>((resolve) => ends.push(resolve))
      return items.map((item) => item.toUpperCase())
    },
    endNext: (): void => ends.shift()?.(),
  }
}

/** What was added in this turn of the event loop has started when this resolves. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve))
  })
}

describe('a batcher', () => {
  it('runs together what was added together, and gives each its own result', async () => {
    const work = heldWork()
    const batcher = new Batcher({ maxItems: 10, concurrency: 1, run: work.run })
    const results = Promise.all([batcher.add('a'), batcher.add('b')])
    await nextTurn()
    work.endNext()
    expect(await results).toEqual(['A', 'B'])
    expect(work.batches).toEqual([['a', 'b']])
  })

  it('gathers what comes while a batch is under way, for the next one', async () => {
    const work = heldWork()
    const batcher = new Batcher({ maxItems: 10, concurrency: 1, run: work.run })
    const first = batcher.add('a')
    await nextTurn()
    const others = [batcher.add('b')]
    await nextTurn()
    others.push(batcher.add('c'))
    await nextTurn()
    expect(work.batches).toEqual([['a']])
    work.endNext()
    await first
    await nextTurn()
    expect(work.batches).toEqual([['a'], ['b', 'c']])
    work.endNext()
    expect(await Promise.all(others)).toEqual(['B', 'C'])
  })

  it('runs as many batches at once as allowed, none larger than allowed', async () => {
    const work = heldWork()
    const batcher = new Batcher({ maxItems: 2, concurrency: 2, run: work.run })
    const results = Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => batcher.add(item)))
    await nextTurn()
    expect(work.batches).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    work.endNext()
    await nextTurn()
    expect(work.batches[2]).toEqual(['e'])
    work.endNext()
    work.endNext()
    expect(await results).toEqual(['A', 'B', 'C', 'D', 'E'])
  })

  it('bounds the bytes of a batch; what is larger goes alone', async () => {
    const batches: (readonly string[])[] = []
    const batcher = new Batcher<string, string>({
      maxItems: 3,
      maxBytes: 4,
      bytesOf: (item) => item.length,
      concurrency: 1,
      run: async (items) => {
        batches.push(items)
        return await Promise.resolve(items)
      },
    })
    const items = ['aa', 'bb', 'c', 'oversized', 'd', 'e', 'f', 'g']
    expect(await Promise.all(items.map((item) => batcher.add(item)))).toEqual(items)
    expect(batches).toEqual([['aa', 'bb'], ['c'], ['oversized'], ['d', 'e', 'f'], ['g']])
  })

  it('fails all of a batch that fails, and goes on with the next', async () => {
    const failure = new Error('no')
    const batcher = new Batcher<string, string>({
      maxItems: 2,
      concurrency: 1,
      run: (items) => (items.includes('bad') ? Promise.reject(failure) : Promise.resolve(items)),
    })
    const results = await Promise.allSettled(['a', 'bad', 'c'].map((item) => batcher.add(item)))
    expect(results).toEqual([
      { status: 'rejected', reason: failure },
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: 'c' },
    ])
  })

  it('fails an item that its batch has no result for, rather than leave it waiting', async () => {
    const batcher = new Batcher<string, string>({
      maxItems: 2,
      concurrency: 1,
      run: (items) => Promise.resolve(items.slice(0, 1)),
    })
    const [first, second] = await Promise.allSettled([batcher.add('a'), batcher.add('b')])
    expect(first).toEqual({ status: 'fulfilled', value: 'a' })
    expect(second).toMatchObject({ status: 'rejected' })
  })
})
