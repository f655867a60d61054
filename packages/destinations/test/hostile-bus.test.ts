import { createServer, type Socket } from 'node:net'
import * as fc from 'fast-check'
import { waitFor } from '@postrider/testkit'
import { sendRequest, webhookDestination } from './factories.ts'
import { openSender } from './open-sender.ts'
import { listening } from './raw-server.ts'

const TIMEOUT_MS = 300

/** AMQP 1.0 by hand, as far as a server's first words go. */
const SASL_HEADER = Buffer.from([0x41, 0x4d, 0x51, 0x50, 3, 1, 0, 0])
const AMQP_HEADER = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 1, 0, 0])
const NULL = Buffer.from([0x40])
const ZERO = Buffer.from([0x43])
const EMPTY_LIST = Buffer.from([0x45])

function frame(type: number, channel: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(head.length + body.length)
  head[4] = 2
  head[5] = type
  head.writeUInt16BE(channel, 6)
  return Buffer.concat([head, body])
}

function list(...items: readonly Buffer[]): Buffer {
  const body = Buffer.concat(items)
  return Buffer.concat([Buffer.from([0xc0, body.length + 1, items.length]), body])
}

function described(code: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0, 0x53, code]), value])
}

function text(code: 0xa1 | 0xa3, value: string): Buffer {
  return Buffer.concat([Buffer.from([code, value.length]), Buffer.from(value)])
}

const MECHANISMS = frame(1, 0, described(0x40, list(text(0xa3, 'ANONYMOUS'))))
const WELCOME = frame(1, 0, described(0x44, list(Buffer.from([0x50, 0]))))
const HANDSHAKE = Buffer.concat([SASL_HEADER, MECHANISMS, WELCOME, AMQP_HEADER])
const OPEN = frame(0, 0, described(0x10, list(text(0xa1, 'x'))))
const WINDOW = Buffer.from([0x52, 100])
const BEGIN = frame(0, 0, described(0x11, list(Buffer.from([0x60, 0, 0]), ZERO, WINDOW, WINDOW)))

function opened(...more: readonly Buffer[]): Buffer {
  return Buffer.concat([HANDSHAKE, OPEN, BEGIN, ...more])
}

/** A list in a list in a list. */
const DEEP = Buffer.concat(
  Array.from({ length: 20_000 }, () => Buffer.from([0xd0, 0, 0, 255, 255, 0, 0, 0, 1])),
)

/** The first words of a server that is no Service Bus. */
const FIRST_WORDS: Readonly<Record<string, Buffer>> = {
  nothing: Buffer.alloc(0),
  'half a header': SASL_HEADER.subarray(0, 5),
  'no mechanisms': Buffer.concat([SASL_HEADER, frame(1, 0, described(0x40, EMPTY_LIST))]),
  'nonsense after the mechanisms': Buffer.concat([SASL_HEADER, MECHANISMS, Buffer.alloc(64, 'x')]),
  'a refusal': Buffer.concat([
    SASL_HEADER,
    MECHANISMS,
    frame(1, 0, described(0x44, list(Buffer.from([0x50, 1])))),
  ]),
  'a version that there is not': Buffer.from([0x41, 0x4d, 0x51, 0x50, 9, 9, 9, 9]),
  zeros: Buffer.concat([HANDSHAKE, Buffer.alloc(64)]),
  'a frame that is too short': Buffer.concat([HANDSHAKE, Buffer.from([0, 0, 0, 1, 2, 0, 0, 0])]),
  'a frame of two gigabytes': Buffer.concat([
    HANDSHAKE,
    Buffer.from([0x7f, 255, 255, 255, 2, 0, 0, 0]),
  ]),
  'a value of a type that there is not': Buffer.concat([
    HANDSHAKE,
    frame(0, 0, Buffer.alloc(9, 0x3f)),
  ]),
  'a list that is longer than its frame': Buffer.concat([
    HANDSHAKE,
    frame(0, 0, described(0x10, Buffer.from([0xc0, 255, 200]))),
  ]),
  'lists in lists': Buffer.concat([HANDSHAKE, frame(0, 0, described(0x10, DEEP))]),
  'a begin before the open': Buffer.concat([HANDSHAKE, BEGIN]),
  'a frame of one byte at most': Buffer.concat([
    HANDSHAKE,
    frame(
      0,
      0,
      described(
        0x10,
        list(
          text(0xa1, 'x'),
          NULL,
          ZERO,
          Buffer.from([0x60, 0, 0]),
          Buffer.from([0x70, 0, 0, 0, 1]),
        ),
      ),
    ),
  ]),
  'an unknown performative': opened(frame(0, 0, described(0x99, EMPTY_LIST))),
  'an unknown type of frame': opened(frame(7, 0, described(0x10, EMPTY_LIST))),
  'a flow on no channel': opened(frame(0, 9, described(0x13, EMPTY_LIST))),
  'a link that nobody asked for': opened(
    frame(0, 0, described(0x12, list(text(0xa1, 'l'), ZERO, Buffer.from([0x41])))),
  ),
  'a transfer on no link': opened(frame(0, 0, described(0x14, list(ZERO)))),
  'an answer to four billion messages': opened(
    frame(
      0,
      0,
      described(
        0x15,
        list(
          Buffer.from([0x41]),
          ZERO,
          Buffer.from([0x70, 255, 255, 255, 255]),
          Buffer.from([0x41]),
        ),
      ),
    ),
  ),
  'the end of a session that is not there': opened(frame(0, 5, described(0x17, EMPTY_LIST))),
  'the end': opened(frame(0, 0, described(0x18, EMPTY_LIST))),
}

/**
 * An error that nobody hears ends the process. It fails the test in which it happens, and comes up to a
 * turn of the event loop after the send has ended: the next send is that turn.
 */
describe('a server that a tenant calls a Service Bus, and that is none', () => {
  it.each(Object.keys(FIRST_WORDS))(
    'that says %s costs an attempt, and nothing else',
    async (name) => {
      expect(await codesOf(FIRST_WORDS[name] ?? Buffer.alloc(0))).toEqual([
        expect.stringMatching(CODES),
        expect.stringMatching(CODES),
      ])
    },
  )

  it('that says something damaged costs an attempt, and nothing else', async () => {
    const whole = opened()
    const damage = fc.record({ at: fc.nat(whole.length - 9), byte: fc.nat(255) })
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
        const words = Buffer.from(whole)
        for (const { at, byte } of damages) words[at + 8] = byte
        for (const code of await codesOf(words)) expect(code).toMatch(CODES)
      }),
      { numRuns: 20 },
    )
  }, 60_000)
})

const CODES = /^(?:timeout|protocol_error|connection_reset|auth_failed|service_error)$/

/** What two sends make of a server that greets with these bytes and says no more. */
async function codesOf(words: Buffer): Promise<readonly string[]> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(words))
    socket.resume()
  })
  const port = await listening(server)
  const sender = openSender('cloud_b_bus')
  const destination = webhookDestination('', {
    type: 'cloud_b_bus',
    config: { name: 'orders' },
    credentials: {
      connection_string: `Endpoint=sb://127.0.0.1:${port}/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0;UseDevelopmentEmulator=true`,
    },
  })
  const request = sendRequest(destination, { timeoutMs: TIMEOUT_MS })
  const codes = [(await sender.send(request)).code, (await sender.send(request)).code]
  await sender.stop()
  await waitFor(() => sockets.size === 0, { what: 'the connections to be closed' })
  await new Promise((resolve) => server.close(resolve))
  return codes
}
