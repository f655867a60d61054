import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { jest } from '@jest/globals'
import type { DeliveryDestination } from '@postrider/common'
import { freePort, waitFor } from '@postrider/testkit'
import type { Sender, SendRequest, SendResult } from '../src/destination-type.ts'
import { openSender } from './open-sender.ts'
import { sendRequest, webhookDestination } from './factories.ts'
import {
  ACK,
  answer,
  block,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  type Fields,
  frame,
  GOAWAY,
  HEADERS,
  headers,
  type HostileTopic,
  message,
  messageIds,
  PING,
  PUSH_PROMISE,
  RST_STREAM,
  type Script,
  settings,
  startHostileTopic,
  trailers,
  uint32,
  WINDOW_UPDATE,
} from './hostile-topic.ts'

const TIMEOUT_MS = 200

const GOING = frame(GOAWAY, 0, 0, uint32(0x7fff_ffff, 0))

/** Says hello, and then this. */
function greets(...bytes: readonly Buffer[]): Script {
  return { connected: Buffer.concat([settings(), ...bytes]) }
}

function answers(make: (stream: number) => Buffer): Script {
  return { requested: make }
}

function ends(...fields: Fields): Script {
  return answers((stream) => answer(stream, messageIds('1'), fields))
}

function says(bytes: Buffer): Script {
  return answers((stream) => answer(stream, bytes))
}

function repeated(bytes: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => bytes))
}

function compressed(bytes: Buffer, encoding: string): Script {
  return answers((stream) =>
    Buffer.concat([
      headers(stream, [['grpc-encoding', encoding]]),
      message(stream, bytes, 1),
      trailers(stream, [['grpc-status', '0']]),
    ]),
  )
}

/** A stream that the client has not asked for. */
function pushed(stream: number, promised = 2): Buffer {
  const request = block([
    [':method', 'GET'],
    [':path', '/'],
    [':scheme', 'http'],
    [':authority', 'x'],
  ])
  return frame(PUSH_PROMISE, END_HEADERS, stream, Buffer.concat([uint32(promised), request]))
}

function reset(stream: number, code: number): Buffer {
  return frame(RST_STREAM, 0, stream, uint32(code))
}

/** What is wrong with a server, and what the attempt says of it. */
const FAULTS: Readonly<Record<string, readonly [Script, string]>> = {
  'greets with nonsense': [{ connected: Buffer.alloc(4096, 0xff) }, 'protocol_error'],
  'greets with zeros': [{ connected: Buffer.alloc(4096) }, 'protocol_error'],
  'says nonsense after its settings': [greets(Buffer.alloc(4096, 0xee)), 'connection_reset'],
  'has settings of seven bytes': [{ connected: frame(4, 0, 0, Buffer.alloc(7)) }, 'timeout'],
  'has settings that there cannot be': [
    { connected: settings([4, 0xffff_ffff]) },
    'connection_reset',
  ],
  'allows no stream': [{ connected: settings([3, 0]) }, 'timeout'],
  'never takes the request': [{ connected: settings([4, 0]) }, 'timeout'],
  'repeats its settings': [greets(repeated(settings(), 20_000)), 'connection_reset'],
  'pings and pings': [
    greets(repeated(frame(PING, 0, 0, Buffer.alloc(8)), 20_000)),
    'connection_reset',
  ],
  'answers a ping that was none': [greets(frame(PING, ACK, 0, Buffer.alloc(8))), 'protocol_error'],
  'ends a stream that is not there': [greets(reset(99, 8)), 'protocol_error'],
  'opens its window too far': [
    greets(repeated(frame(WINDOW_UPDATE, 0, 0, uint32(0x7fff_ffff)), 2)),
    'connection_reset',
  ],
  'goes away at once': [greets(frame(GOAWAY, 0, 0, uint32(0, 0))), 'connection_reset'],
  'goes away because of us': [
    greets(frame(GOAWAY, 0, 0, Buffer.concat([uint32(0, 11), Buffer.from('too_many_pings')]))),
    'throttled',
  ],
  'goes away again and again': [answers(() => repeated(GOING, 5000)), 'timeout'],
  'continues what it has not begun': [greets(frame(CONTINUATION, 0, 1)), 'connection_reset'],

  'pushes what nobody asked for': [answers((stream) => pushed(stream)), 'connection_reset'],
  'pushes, and answers too': [
    answers((stream) => Buffer.concat([pushed(stream), answer(stream)])),
    'connection_reset',
  ],
  'takes back what it pushes': [
    answers((stream) => Buffer.concat([pushed(stream), reset(2, 2)])),
    'connection_reset',
  ],
  'pushes, and breaks the protocol': [
    answers((stream) => Buffer.concat([pushed(stream), reset(0, 2)])),
    'connection_reset',
  ],
  'pushes again and again': [
    answers((stream) =>
      Buffer.concat(Array.from({ length: 500 }, (_, i) => pushed(stream, 2 * i + 2))),
    ),
    'connection_reset',
  ],

  'refuses the stream': [answers((stream) => reset(stream, 7)), 'connection_reset'],
  'ends the stream for no reason that there is': [
    answers((stream) => reset(stream, 0xffff_ffff)),
    'connection_reset',
  ],
  'ends its headers never': [
    answers((stream) => frame(HEADERS, 0, stream, block([[':status', '200']]))),
    'timeout',
  ],
  'continues its headers for ever': [
    answers((stream) =>
      Buffer.concat([
        frame(HEADERS, 0, stream, block([[':status', '200']])),
        repeated(frame(CONTINUATION, 0, stream, block([['x', 'y'.repeat(1000)]])), 1000),
      ]),
    ),
    'connection_reset',
  ],
  'packs its headers wrongly': [
    answers((stream) => frame(HEADERS, END_HEADERS, stream, Buffer.alloc(5, 0xff))),
    'timeout',
  ],
  'has no status': [
    answers((stream) => frame(HEADERS, END_HEADERS | END_STREAM, stream, block([['x', 'y']]))),
    'connection_reset',
  ],
  'sends data before its headers': [
    answers((stream) => message(stream, messageIds('1'))),
    'timeout',
  ],
  'is a website': [answers((stream) => trailers(stream, [[':status', '404']])), 'protocol_error'],
  'sends us elsewhere': [
    answers((stream) =>
      trailers(stream, [
        [':status', '302'],
        ['location', 'http://169.254.169.254/'],
      ]),
    ),
    'protocol_error',
  ],

  'announces a message of 4 GiB': [
    answers((stream) =>
      Buffer.concat([headers(stream), frame(DATA, 0, stream, Buffer.of(0, 255, 255, 255, 255))]),
    ),
    'protocol_error',
  ],
  'packs a large message into a small one': [
    compressed(gzipSync(Buffer.alloc(50_000_000)), 'gzip'),
    'protocol_error',
  ],
  'packs nonsense': [compressed(Buffer.alloc(100, 7), 'gzip'), 'connection_reset'],
  'packs in a way that there is not': [compressed(messageIds('1'), 'zork'), 'connection_reset'],
  'packs in the way of a prototype': [
    compressed(messageIds('1'), 'constructor'),
    'connection_reset',
  ],
  'answers twice': [
    answers((stream) =>
      Buffer.concat([
        headers(stream),
        message(stream, messageIds('1')),
        message(stream, messageIds('2')),
        trailers(stream, [['grpc-status', '0']]),
      ]),
    ),
    'timeout',
  ],
  'ends without a word of how it went': [ends(['x', 'y']), 'protocol_error'],
  'ends with a status that is no number': [ends(['grpc-status', 'abc']), 'connection_reset'],
  'ends with two statuses': [ends(['grpc-status', '0'], ['grpc-status', '7']), 'connection_reset'],
  'gives no ids': [says(Buffer.alloc(0)), 'protocol_error'],
  'gives two ids': [says(messageIds('1', '2')), 'protocol_error'],
  'gives a hundred thousand ids': [
    says(messageIds(...Array.from({ length: 100_000 }, () => ''))),
    'protocol_error',
  ],
  'gives groups in groups': [says(Buffer.alloc(200_000, 0x13)), 'protocol_error'],
  'gives nonsense': [says(Buffer.alloc(1000, 0xff)), 'protocol_error'],
}

/** Answers that are odd, and what is kept of them. */
const ODD_ANSWERS: Readonly<Record<string, readonly [Script, Record<string, unknown>]>> = {
  'an id that is too long': [
    says(messageIds('x'.repeat(200_000))),
    { message_id: 'x'.repeat(256) },
  ],
  'an id that is no text': [says(messageIds('\0\u0001')), { message_id: expect.any(String) }],
  'words that are badly escaped': [
    ends(['grpc-status', '7'], ['grpc-message', '%%%zz%ff%c3%28']),
    { error: 'PERMISSION_DENIED', body: '%%%zz%ff%c3%28' },
  ],
  'words without end': [
    ends(['grpc-status', '7'], ['grpc-message', 'm'.repeat(15_000)]),
    { error: 'PERMISSION_DENIED', body: 'm'.repeat(4096) },
  ],
  'members of a prototype': [
    ends(['grpc-status', '3'], ['__proto__', 'x'], ['constructor', 'y'], ['grpc-message', 'no']),
    { error: 'INVALID_ARGUMENT', body: 'no' },
  ],
}

/**
 * An error that nobody hears ends the process. It fails the test in which it happens, and comes up to a
 * turn of the event loop after the send has ended: the next send is that turn.
 */
describe('a server that a tenant calls Pub/Sub, and that is none', () => {
  let topic: HostileTopic
  let sender: Sender

  async function start(script: Script): Promise<void> {
    topic = await startHostileTopic(script)
  }

  beforeAll(async () => {
    // The first send loads the library, which takes longer than those of the tests may.
    sender = openSender('cloud_c_topic')
    await start(says(messageIds('1')))
    await send({ timeoutMs: 10_000 })
    await sender.stop()
    await topic.stop()
  })

  beforeEach(() => {
    sender = openSender('cloud_c_topic')
  })

  afterEach(async () => {
    await sender.stop()
    await topic.stop()
  })

  async function send(
    changes: Partial<SendRequest> = {},
    endpoint = `127.0.0.1:${topic.port}`,
  ): Promise<SendResult> {
    return sender.send(sendRequest(destination(endpoint), { timeoutMs: TIMEOUT_MS, ...changes }))
  }

  it.each(Object.keys(FAULTS))('ends in time, and leaves nothing behind: %s', async (name) => {
    const [script, code] = FAULTS[name] ?? [{}, '']
    await start(script)
    const startMs = performance.now()
    const codes = [(await send()).code, (await send()).code]
    const tookMs = performance.now() - startMs
    await sender.stop()

    expect(codes).toEqual([code, code])
    expect(tookMs).toBeLessThan(2 * TIMEOUT_MS + 2500)
    await waitFor(() => topic.open === 0, { what: 'the connections to be closed' })
  })

  it.each(Object.keys(ODD_ANSWERS))('may give odd answers: %s', async (name) => {
    const [script, kept] = ODD_ANSWERS[name] ?? [{}, {}]
    await start(script)
    const { response } = await send({ timeoutMs: 5000 })

    expect({ ...response?.head, body: response?.body.toString() }).toMatchObject(kept)
  })

  it.each([
    ['headers that inform of nothing', HEADERS, END_HEADERS, block([[':status', '103']])],
    ['data of a byte', DATA, 0, Buffer.of(0)],
    ['data of no byte', DATA, 0, Buffer.alloc(0)],
  ])('is cut off when it answers with %s for ever', async (_, type, flags, body) => {
    let poured = 0
    await start({
      requested: (stream, socket) => {
        if (type === DATA) socket.write(headers(stream))
        pour(socket, repeated(frame(type, flags, stream, body), 1000), (bytes) => {
          poured += bytes
        })
        return null
      },
    })

    expect(await send({ timeoutMs: 10_000 })).toMatchObject({ code: 'connection_reset' })
    await waitFor(() => topic.open === 0, { what: 'the connection to be cut' })
    // What the buffers of a connection hold comes on top.
    expect(poured).toBeLessThan(16 * 1024 ** 2)
  })

  it('is not asked a second time for one that it has let expire, whatever it says later', async () => {
    let late: (() => void) | undefined
    await start({
      requested: (stream, socket) => {
        if (late !== undefined) return answer(stream)
        late = () => socket.write(answer(stream))
        return null
      },
    })
    expect((await send({ timeoutMs: 500 })).code).toBe('timeout')
    late?.()

    expect((await send({ timeoutMs: 5000 })).code).toBe('accepted')
    expect(topic.accepted).toBe(2)
  })

  it('may go away after every answer, which nothing is kept of', async () => {
    const warned = jest.spyOn(process, 'emitWarning')
    await start(answers((stream) => Buffer.concat([answer(stream), GOING])))
    for (let i = 0; i < 30; i += 1) {
      await send({ timeoutMs: 5000 })
      await waitFor(() => topic.open === 0, { what: 'the connection to be closed' })
    }

    expect((await send({ timeoutMs: 5000 })).code).toBe('accepted')
    expect(topic.accepted).toBe(31)
    expect(warned.mock.calls).toEqual([])
    warned.mockRestore()
  })

  it('finishes the calls under way when it goes away', async () => {
    const streams: (() => void)[] = []
    await start({
      requested: (stream, socket) => {
        streams.push(() => socket.write(answer(stream)))
        return streams.length === 1 ? GOING : answer(stream)
      },
    })
    const first = send({ timeoutMs: 5000 })
    await waitFor(() => streams.length === 1, { what: 'the first call' })
    // On another connection, from when the client has heard of it.
    while (topic.accepted === 1) await send({ timeoutMs: 100 })
    streams[0]?.()

    expect((await first).code).toBe('accepted')
    expect((await send({ timeoutMs: 5000 })).code).toBe('accepted')
  })

  it('writes nothing into the log', async () => {
    const written = jest.spyOn(console, 'error').mockReturnValue()
    await start(ends(['x', Buffer.of(0x80, 0xff)], ['grpc-status', '7']))

    expect((await send({ timeoutMs: 5000 })).code).toBe('access_denied')
    expect(written.mock.calls).toEqual([])
    written.mockRestore()
  })

  it.each([
    ['says nothing', (socket: Socket) => socket, 'timeout'],
    ['says nonsense', (socket: Socket) => socket.write(Buffer.alloc(5000, 0x16)), 'tls_error'],
    [
      'stops in its hello',
      (socket: Socket) => socket.write(Buffer.of(22, 3, 3, 64, 0, 2)),
      'timeout',
    ],
  ])('ends in time when it %s instead of TLS', async (_, connected, code) => {
    await start({ connected })
    const endpoint = `https://127.0.0.1:${topic.port}`

    expect((await send({}, endpoint)).code).toBe(code)
    await waitFor(() => topic.open === 0, { what: 'the connection to be closed' })
  })

  it('may come and go', async () => {
    await start({})
    const port = await freePort()
    const codes = new Set<string>()
    for (let round = 0; round < 20; round += 1) {
      codes.add((await send({ timeoutMs: 5000 }, `127.0.0.1:${port}`)).code)
      const server = createServer((socket) => socket.on('error', () => undefined).resetAndDestroy())
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      codes.add((await send({ timeoutMs: 5000 }, `127.0.0.1:${port}`)).code)
      await new Promise((resolve) => server.close(resolve))
    }

    expect(codes).toEqual(new Set(['connection_refused', 'connection_reset']))
  })
})

function destination(endpoint: string): DeliveryDestination {
  const isTls = endpoint.startsWith('https:')
  return webhookDestination('', {
    type: 'cloud_c_topic',
    version: isTls ? 2 : 1,
    config: { project_id: 'acme-prod', topic: 'orders', endpoint },
    credentials: {},
  })
}

/** Writes for as long as the client takes it. */
function pour(socket: Socket, bytes: Buffer, count: (bytes: number) => void): void {
  const write = (): void => {
    while (!socket.destroyed) {
      count(bytes.length)
      if (!socket.write(bytes)) return
    }
  }
  socket.on('drain', write)
  write()
}
