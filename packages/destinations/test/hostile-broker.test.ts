import type { Socket } from 'node:net'
import type { DeliveryDestination } from '@postrider/common'
import { waitFor } from '@postrider/testkit'
import { BrokerQueueSender } from '../src/broker-queue/sender.ts'
import type { SendRequest, SendResult } from '../src/destination-type.ts'
import { AddressGuard } from '../src/guard/address-guard.ts'
import { sendRequest, webhookDestination } from './factories.ts'
import {
  ack,
  CHANNEL_OK,
  closing,
  CONFIRM_OK,
  frame,
  HEARTBEAT,
  type HostileBroker,
  method,
  OPEN_OK,
  returned,
  type Script,
  START,
  startHostileBroker,
  TUNE,
} from './hostile-broker.ts'

const TIMEOUT_MS = 300
const NOTHING = Buffer.alloc(0)

/** Answers each message with these bytes. */
function answers(bytes: Buffer): Script {
  return { body: bytes }
}

/** What is wrong with a server, and what the attempt says of it. */
const FAULTS: Readonly<Record<string, readonly [Script, string]>> = {
  'says nothing': [{ header: NOTHING }, 'timeout'],
  'does not tune': [{ '10.11': NOTHING }, 'timeout'],
  'does not open': [{ '10.40': NOTHING }, 'timeout'],
  'opens no channel': [{ '20.10': NOTHING }, 'timeout'],
  'does not select confirms': [{ '85.10': NOTHING }, 'timeout'],
  'does not confirm': [answers(NOTHING), 'timeout'],
  'confirms by half': [answers(ack(1).subarray(0, 12)), 'timeout'],

  'begins with a heartbeat': [{ header: Buffer.concat([HEARTBEAT, START]) }, 'protocol_error'],
  'begins with content': [{ header: frame(3, 0, Buffer.from('x')) }, 'protocol_error'],
  'begins with a frame that is too short': [
    { header: frame(1, 0, Buffer.alloc(1)) },
    'protocol_error',
  ],
  'begins twice': [{ '10.11': START }, 'protocol_error'],
  'tunes twice': [{ '10.40': TUNE }, 'protocol_error'],
  'tunes with a heartbeat': [{ '10.11': HEARTBEAT }, 'protocol_error'],

  // What comes in one piece with the end of the handshake is read before anybody listens to amqplib's
  // own connection: each of these used to end the process.
  'closes with the opening': [
    { '10.40': Buffer.concat([OPEN_OK, closing(0, 501)]) },
    'connection_reset',
  ],
  'opens with a frame of no channel': [
    { '10.40': Buffer.concat([OPEN_OK, ack(1)]) },
    'protocol_error',
  ],
  'opens with nonsense': [
    { '10.40': Buffer.concat([OPEN_OK, Buffer.alloc(64, 'x')]) },
    'protocol_error',
  ],
  'opens with an unknown method': [
    { '10.40': Buffer.concat([OPEN_OK, method(0, [99, 99], NOTHING)]) },
    'protocol_error',
  ],

  'closes the channel for its opening': [{ '20.10': closing(1, 404) }, 'connection_reset'],
  'closes the channel with its opening': [
    { '20.10': Buffer.concat([CHANNEL_OK, closing(1, 404)]) },
    'connection_reset',
  ],
  'closes with the selection of confirms': [
    { '85.10': Buffer.concat([CONFIRM_OK, closing(0, 501)]) },
    'connection_reset',
  ],
  'stops the flow': [answers(method(1, [60, 20], Buffer.of(1))), 'connection_reset'],
  'cancels a consumer': [answers(method(1, [60, 30], Buffer.of(1, 65, 0))), 'connection_reset'],
  'answers what was not asked': [answers(CONFIRM_OK), 'connection_reset'],
  'confirms on a channel that is not there': [answers(ack(1, 7)), 'connection_reset'],
  'announces a frame of 4 GiB': [
    answers(Buffer.of(1, 0, 1, 255, 255, 255, 255)),
    'connection_reset',
  ],

  // amqplib makes a list as long as the tag is large, and goes through it when the channel ends.
  'confirms what was not sent': [
    answers(Buffer.concat([ack(4_000_000_000), closing(1, 404)])),
    'protocol_error',
  ],
  'confirms the message before the first': [answers(ack(0)), 'protocol_error'],
  'confirms 2^63': [answers(ack(2n ** 63n)), 'protocol_error'],
}

describe('a broker that is not one', () => {
  let broker: HostileBroker
  let sender: BrokerQueueSender

  async function start(script: Script): Promise<void> {
    broker = await startHostileBroker(script)
    const guard = new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] })
    sender = new BrokerQueueSender({ guard, openTimeoutMs: TIMEOUT_MS })
  }

  afterEach(async () => {
    await sender.stop()
    await broker.stop()
  })

  async function send(changes: Partial<SendRequest> = {}): Promise<SendResult> {
    const request = { timeoutMs: TIMEOUT_MS, ...changes }
    return sender.send(sendRequest(destination(), request))
  }

  function destination(): DeliveryDestination {
    return webhookDestination('', {
      type: 'broker_queue',
      config: { server_url: `127.0.0.1:${broker.port}`, exchange: 'events' },
      credentials: { username: 'events', password: 'pw' },
    })
  }

  it.each(Object.keys(FAULTS))('ends in time, and leaves nothing behind: %s', async (name) => {
    const [script, code] = FAULTS[name] ?? [{}, '']
    await start(script)
    const startMs = performance.now()
    // The second send shows that the first has left no link that hangs.
    const codes = [(await send()).code, (await send()).code]
    await sender.stop()

    expect(codes).toEqual([code, code])
    expect(performance.now() - startMs).toBeLessThan(2 * TIMEOUT_MS + 2500)
    await waitFor(() => broker.open === 0, { what: 'the connections to be closed' })
  })

  it('gets no more room for a message that it returns than the message had', async () => {
    let poured = 0
    await start({
      body: (socket) => {
        socket.write(returned(2n ** 40n))
        pour(socket, frame(3, 1, Buffer.alloc(64 * 1024)), (bytes) => {
          poured += bytes
        })
      },
    })

    expect(await send({ timeoutMs: 5000 })).toMatchObject({ code: 'connection_reset' })
    await waitFor(() => broker.open === 0, { what: 'the connection to be cut' })
    // What the buffers of a connection hold comes on top.
    expect(poured).toBeLessThan(32 * 1024 ** 2)
  })

  it('may return large messages, many at once', async () => {
    const data = Buffer.alloc(300_000, 'x')
    await start({
      body: (socket, frames) => {
        // Three frames to a message.
        if (frames % 3 !== 0) return
        socket.write(returned(BigInt(data.length)))
        for (let at = 0; at < data.length; at += 100_000) {
          socket.write(frame(3, 1, data.subarray(at, at + 100_000)))
        }
        socket.write(ack(frames / 3))
      },
    })
    const sends = Array.from({ length: 20 }, async () => send({ data, timeoutMs: 5000 }))

    for (const { code } of await Promise.all(sends)) expect(code).toBe('confirmed')
  })

  it('that never confirms a message loses the connection in the end', async () => {
    await start({
      body: (socket, published) => {
        if (published > 1) socket.write(ack(published))
      },
    })
    const first = send({ timeoutMs: 60_000 })
    const codes = new Set<string>()
    while (!codes.has('connection_reset')) {
      const results = await Promise.all(
        Array.from({ length: 500 }, () => send({ timeoutMs: 5000 })),
      )
      for (const { code } of results) codes.add(code)
    }

    expect(await first).toMatchObject({ code: 'connection_reset' })
    expect([...codes].toSorted()).toEqual(['confirmed', 'connection_reset'])
  })

  it.each([
    ['too_large', { long: 'x'.repeat(70_000) }, /^The metadata has 7\d+ bytes as headers/],
    ['unsendable', { ['x'.repeat(256)]: '' }, /^The metadata has a name of more than 255 bytes/],
  ])('is not sent what AMQP cannot say: %s', async (code, metadata, words) => {
    await start({})
    const result = await send({ metadata })

    expect(result.code).toBe(code)
    expect(result.response?.body.toString()).toMatch(words)
    expect(await send()).toMatchObject({ code: 'confirmed' })
  })
})

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
