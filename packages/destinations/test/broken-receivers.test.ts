import { BROKEN_FAULTS, type BrokenFault, startBrokenReceiver } from '@postrider/testkit'
import { EXPECTED_CODES } from './expected-codes.ts'
import { DATA, sendRequest, webhookDestination, webhookSender } from './factories.ts'

const TIMEOUT_MS = 200

/** More than the buffers of a connection take, so that a receiver can answer before it is all sent. */
const LARGE = Buffer.alloc(8 * 1024 ** 2, 'a')

async function sendTo(fault: BrokenFault, data: Buffer = DATA) {
  const receiver = await startBrokenReceiver(fault)
  const sender = webhookSender({ timeoutMs: TIMEOUT_MS })
  const startMs = performance.now()
  const destination = webhookDestination(receiver.url)
  const result = await sender.send(sendRequest(destination, { timeoutMs: TIMEOUT_MS, data }))
  const tookMs = performance.now() - startMs
  await sender.stop()
  await receiver.stop()
  return { result, tookMs }
}

describe('webhook to a broken receiver', () => {
  it.each(BROKEN_FAULTS)('ends in time, with the documented code: %s', async (fault) => {
    const { result, tookMs } = await sendTo(fault)

    expect(result.code).toBe(EXPECTED_CODES[fault])
    expect(result.status).toBe(/^2\d\d$/.test(result.code) ? 'success' : 'failed')
    expect(result.disable).toBe(fault === 'gone')
    expect(tookMs).toBeLessThan(TIMEOUT_MS + 2000)
  })

  it.each(['refusal_before_body', 'refusal_before_body_and_close'] as const)(
    'is what it answers when it does not wait for the body: %s',
    async (fault) => {
      expect((await sendTo(fault, LARGE)).result).toMatchObject({ status: 'failed', code: '413' })
    },
  )

  it('is not held up by one that reads nothing of a large body', async () => {
    const { result, tookMs } = await sendTo('never_reads', LARGE)

    expect(result).toMatchObject({ code: 'timeout' })
    expect(tookMs).toBeLessThan(TIMEOUT_MS + 2000)
  })

  it.each([
    ['fin_in_body', 'some', true],
    ['silence_in_body', 'some', true],
    ['more_than_length', 'some', false],
    ['bad_chunk', 'some', true],
    ['http_1_0', 'some', false],
    ['endless_trailers', 'some', true],
    ['no_content_with_body', '', true],
  ] as const)('keeps what came of the body: %s', async (fault, body, cut) => {
    const { response } = (await sendTo(fault)).result

    expect(response?.body.toString()).toBe(body)
    expect(response?.cut).toBe(cut)
  })

  it('keeps a compressed body as it came, and says that it is compressed', async () => {
    const { response } = (await sendTo('compressed_bomb')).result

    expect(response?.head['headers']).toEqual({ 'content-encoding': 'gzip' })
    // 100 MiB if it were inflated.
    expect(response?.body.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
    expect(response?.body.length).toBeLessThan(128 * 1024)
  })

  it.each([
    ['pause_of_nonsense', null],
    ['pause_without_end', 24 * 60 * 60 * 1000],
  ] as const)('pauses at most for a day: %s', async (fault, expected) => {
    expect((await sendTo(fault)).result.retryAfterMs).toBe(expected)
  })

  it('never takes a second answer for that of the next request', async () => {
    const receiver = await startBrokenReceiver('two_answers')
    const sender = webhookSender()
    const request = sendRequest(webhookDestination(receiver.url))
    for (let i = 0; i < 20; i++) {
      const result = await sender.send(request)
      expect(result).toMatchObject({ code: '200', response: { body: Buffer.from('first') } })
    }

    // None of the connections was good for another request.
    expect(receiver.connections).toBe(20)
    await sender.stop()
    await receiver.stop()
  })

  it('does not stop the process with a flood of tiny headers', async () => {
    await sendTo('endless_headers')
    const receiver = await startBrokenReceiver('endless_headers')
    const sender = webhookSender()
    const stopsMs: number[] = []
    let longestMs = 0
    let lastMs = performance.now()
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - lastMs)
      lastMs = performance.now()
    }, 1)
    for (let i = 0; i < 3; i++) {
      longestMs = 0
      await sender.send(sendRequest(webhookDestination(receiver.url)))
      stopsMs.push(longestMs)
    }
    clearInterval(timer)

    // 200 to 500 ms in each send when undici reads as much as there is; a busy machine adds to some.
    expect(Math.min(...stopsMs)).toBeLessThan(150)
    await sender.stop()
    await receiver.stop()
  })
})
