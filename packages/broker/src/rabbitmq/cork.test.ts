import { Duplex } from 'node:stream'
import { Cork } from './cork.ts'

/** A socket that keeps what each of its system calls would have carried. */
function recordingSocket(): { readonly socket: Duplex; readonly calls: string[] } {
  const calls: string[] = []
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      calls.push(chunk.toString())
      done()
    },
    writev: (chunks, done) => {
      calls.push(chunks.map(({ chunk }) => String(chunk)).join(''))
      done()
    },
  })
  return { socket, calls }
}

const turn = () => new Promise(setImmediate)

describe('Cork', () => {
  it('gathers what reaches the socket by the next immediate', async () => {
    const { socket, calls } = recordingSocket()
    const cork = new Cork(socket)
    // As amqplib does it: heard of at the next tick, written in an immediate of that tick.
    process.nextTick(() => {
      setImmediate(() => {
        for (const piece of ['a', 'b', 'c']) socket.write(piece)
      })
    })
    cork.gather()
    cork.gather()
    await turn()
    await turn()
    expect(calls).toEqual(['abc'])
  })

  it('lets the socket alone afterwards', async () => {
    const { socket, calls } = recordingSocket()
    new Cork(socket).gather()
    await turn()
    await turn()
    socket.write('a')
    socket.write('b')
    expect(calls).toEqual(['a', 'b'])
  })

  it('does nothing without a socket', () => {
    expect(() => new Cork(null).gather()).not.toThrow()
  })
})
