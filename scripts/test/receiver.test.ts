import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@postrider/testkit'

const MAIN = fileURLToPath(new URL('../dist/receiver.js', import.meta.url))

/** A receiver as `npm run receiver` runs it. */
class ReceiverProcess {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>
  readonly #ended: Promise<unknown[]>
  printed = ''
  complained = ''

  constructor(...args: readonly string[]) {
    this.#child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#ended = once(this.#child, 'close')
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.printed += text))
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.complained += text))
  }

  async url(): Promise<string> {
    return await waitFor(() => /listening on (http:\S+\/);/.exec(this.printed)?.[1], {
      what: 'a receiver that listens',
    })
  }

  async exitCode(): Promise<unknown> {
    return (await this.#ended)[0]
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<unknown> {
    this.#child.kill(signal)
    return await this.exitCode()
  }
}

async function post(url: string, secret: string): Promise<number> {
  const body = '{"hello":"world"}'
  const signature = createHmac('sha256', secret).update(`1700000000.${body}`).digest('hex')
  const headers = { 'x-service-id': 'evt_1', 'x-service-signature': `t=1700000000,v0=${signature}` }
  return (await fetch(url, { method: 'POST', headers, body })).status
}

describe('npm run receiver', () => {
  it('prints what arrives and whether one of its secrets signed it, until Ctrl-C', async () => {
    const receiver = new ReceiverProcess('--port', '0', '--secret', 'a', '--secret', 'b')
    const url = await receiver.url()
    expect(await post(url, 'b')).toBe(200)
    expect(await post(url, 'c')).toBe(200)
    await waitFor(() => receiver.printed.includes('NOT VALID'), { what: 'both verdicts' })
    expect(receiver.printed).toMatch(
      /POST \/ {2}evt_1 .*\n {2}signature valid\n {2}\{\n {4}"hello"/,
    )
    expect(await receiver.stop('SIGINT')).toBe(0)
  })

  it('says that it checks nothing without a secret', async () => {
    const receiver = new ReceiverProcess('--port', '0')
    await post(await receiver.url(), 'a')
    await waitFor(() => receiver.printed.includes('no secret given: signature not checked'), {
      what: 'the verdict',
    })
    expect(await receiver.stop()).toBe(0)
  })

  it('ends with one line when its port is in use', async () => {
    const first = new ReceiverProcess('--port', '0')
    const { port } = new URL(await first.url())
    const second = new ReceiverProcess('--port', port)
    expect(await second.exitCode()).toBe(1)
    expect(second.complained).toBe(
      `receiver: port ${port} is in use; choose another one with --port\n`,
    )
    await first.stop()
  })
})
