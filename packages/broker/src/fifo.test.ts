import { Fifo } from './fifo.ts'

describe('Fifo', () => {
  it('hands out what was put in, oldest first, over many compactions', () => {
    const fifo = new Fifo<number>()
    const taken: (number | undefined)[] = []
    for (let i = 0; i < 10_000; i++) {
      fifo.push(i)
      if (i % 3 !== 0) taken.push(fifo.shift())
    }
    while (fifo.length > 0) taken.push(fifo.shift())
    expect(taken).toEqual(Array.from({ length: 10_000 }, (_, i) => i))
  })

  it('looks at items by their distance from the oldest', () => {
    const fifo = new Fifo<string>()
    for (const item of ['a', 'b', 'c']) fifo.push(item)
    fifo.shift()
    expect([fifo.at(0), fifo.at(1), fifo.at(2)]).toEqual(['b', 'c', undefined])
  })

  it('is empty when nothing is left', () => {
    const fifo = new Fifo<string>()
    fifo.push('a')
    fifo.shift()
    expect([fifo.length, fifo.shift(), fifo.at(0)]).toEqual([0, undefined, undefined])
  })
})
