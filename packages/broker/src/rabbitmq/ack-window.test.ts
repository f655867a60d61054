import type { ConsumeMessage, Message } from 'amqplib'
import * as fc from 'fast-check'
import { AckWindow } from './ack-window.ts'
import { HeldMessage } from './held-message.ts'

/** A channel that keeps account as the broker does, and minds what the broker minds. */
class Ledger {
  readonly frames: string[] = []
  readonly unacked = new Set<number>()

  ack(message: Message, allUpTo: boolean): void {
    const tag = message.fields.deliveryTag
    if (!this.unacked.has(tag)) throw new Error(`unknown delivery tag ${tag}`)
    for (const held of this.unacked) {
      if (held === tag || (allUpTo && held < tag)) this.unacked.delete(held)
    }
    this.frames.push(`${allUpTo ? '≤' : '='}${tag}`)
  }
}

function setUp() {
  const ledger = new Ledger()
  let emptied = 0
  const window = new AckWindow(ledger, () => emptied++)
  let tag = 0
  const receive = (): HeldMessage => {
    tag++
    const held = new HeldMessage(messageOf(tag), window)
    ledger.unacked.add(tag)
    window.add(held)
    return held
  }
  return { ledger, window, receive, emptied: () => emptied }
}

const turn = () => new Promise(setImmediate)

describe('AckWindow', () => {
  it('acks a run of any length by one frame', async () => {
    const { ledger, receive, emptied } = setUp()
    const held = Array.from({ length: 500 }, receive)
    for (const each of held.toReversed()) each.ack()
    expect(ledger.frames).toEqual([])
    await turn()
    expect(ledger.frames).toEqual(['≤500'])
    expect(emptied()).toBe(1)
  })

  it('acks one by one behind a message that is still held, and passes over them later', async () => {
    const { ledger, receive } = setUp()
    const [first, second, third, fourth] = [receive(), receive(), receive(), receive()]
    second.ack()
    third.ack()
    await turn()
    first.ack()
    await turn()
    fourth.ack()
    await turn()
    expect(ledger.frames).toEqual(['=2', '=3', '≤1', '≤4'])
  })

  it('writes what is due when it is closed, and nothing after', async () => {
    const { ledger, window, receive } = setUp()
    const [first, second] = [receive(), receive()]
    first.ack()
    window.close()
    second.ack()
    await turn()
    expect(ledger.frames).toEqual(['≤1'])
    expect([first.isLive, second.isLive]).toEqual([false, false])
  })

  it('survives a channel that throws', async () => {
    const { ledger, window, receive } = setUp()
    const held = receive()
    ledger.unacked.clear()
    held.ack()
    await turn()
    expect(window.isOpen).toBe(false)
  })

  it('acks exactly what has ended, whatever the order', async () => {
    const ends = fc.array(fc.array(fc.nat({ max: 40 }), { maxLength: 12 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(ends, async (rounds) => {
        const { ledger, window, receive } = setUp()
        const held: HeldMessage[] = []
        for (const round of rounds) {
          for (let i = 0; i < 5; i++) held.push(receive())
          for (const index of round) held[index]?.ack()
          await turn()
          const expected = held.filter((each) => !each.isEnded)
          expect([...ledger.unacked]).toEqual(expected.map((each) => tagOf(each)))
        }
        expect(window.isOpen).toBe(true)
      }),
    )
  })
})

function tagOf(held: HeldMessage): number {
  return held.message.fields.deliveryTag
}

function messageOf(deliveryTag: number): ConsumeMessage {
  const fields = { deliveryTag, redelivered: false, exchange: '', routingKey: '', consumerTag: '' }
  return {
    fields,
    content: Buffer.alloc(0),
    // As amqplib makes them: every property is there, and none has a value.
    properties: {
      contentType: undefined,
      contentEncoding: undefined,
      headers: {},
      deliveryMode: undefined,
      priority: undefined,
      correlationId: undefined,
      replyTo: undefined,
      expiration: undefined,
      messageId: undefined,
      timestamp: undefined,
      type: undefined,
      userId: undefined,
      appId: undefined,
      clusterId: undefined,
    },
  }
}
