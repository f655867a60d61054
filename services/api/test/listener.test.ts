import { createServer, type ServerResponse } from 'node:http'
import { waitFor } from '@postrider/testkit'
import { listen } from '../src/http/listener.ts'

describe('a listener that stops', () => {
  it('answers the requests in flight first, and takes no other', async () => {
    const held: ServerResponse[] = []
    const listener = listen(createServer((_, res) => held.push(res)))
    const { port } = await listener.start('127.0.0.1', 0)
    const answer = fetch(`http://127.0.0.1:${port}/`)
    const [res] = await waitFor(() => held.length > 0 && held, { what: 'the request' })

    let stopped = false
    const stop = listener.stop().then(() => (stopped = true))
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
    expect(stopped).toBe(false)
    res?.end('done')
    await expect((await answer).text()).resolves.toBe('done')
    await stop
  })

  it('does not wait for connections that are idle', async () => {
    const listener = listen(createServer((_, res) => res.end('done')))
    const { port } = await listener.start('127.0.0.1', 0)
    // Node's own client keeps the connection.
    await (await fetch(`http://127.0.0.1:${port}/`)).text()
    await expect(listener.stop()).resolves.toBeUndefined()
    await expect(listener.stop()).resolves.toBeUndefined()
  })

  it('says when the port is taken', async () => {
    const first = listen(createServer())
    const { port } = await first.start('127.0.0.1', 0)
    await expect(listen(createServer()).start('127.0.0.1', port)).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
    await first.stop()
  })
})
