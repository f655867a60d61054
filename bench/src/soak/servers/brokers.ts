import { setTimeout as pause } from 'node:timers/promises'
import { privateRabbitMq, waitFor } from '@postrider/testkit'
import { type Channel, connect } from 'amqplib'
import type { Ledger } from '../ledger.ts'
import { hashOf } from '../plan.ts'
import type { TypeServer } from '../type-server.ts'
import { BadLines } from './bad-lines.ts'
import type { Spell } from './weather.ts'

/** One RabbitMQ with an exchange and a queue for each destination; ill ones are behind a bad line. */
export async function startBrokers(ledger: Ledger): Promise<TypeServer> {
  const server = await privateRabbitMq()
  const { username, password, port } = new URL(server.url)
  const model = await connect(server.url)
  const channel = await model.createChannel()
  const lines = new BadLines()
  const queues: string[] = []

  let stopped: Promise<void> | null = null
  const stop = async (): Promise<void> => {
    await lines.end()
    await model.close()
    await server[Symbol.asyncDispose]()
  }
  return {
    type: 'broker_queue',
    seesTries: false,
    async add({ id, isIll, random }) {
      queues.push(id)
      await channel.assertQueue(id, { durable: false })
      await raise(channel, id)
      await channel.consume(
        id,
        (message) => {
          if (message === null) return
          const hash = hashOf(message.content)
          const eventId = String(message.properties.messageId)
          ledger.record(id, eventId, { deed: 'taken', code: null, hash })
        },
        { noAck: true },
      )
      const spells = [
        [withoutQueue(channel, id), 2],
        [withoutExchange(channel, id), 2],
      ] as const
      const place = isIll ? await lines.to(Number(port), random, spells) : port
      return {
        config: { server_url: `127.0.0.1:${place}`, exchange: id },
        credentials: {
          username: decodeURIComponent(username),
          password: decodeURIComponent(password),
        },
      }
    },
    async drain() {
      await waitFor(
        async () => {
          const states = await Promise.all(queues.map((name) => channel.checkQueue(name)))
          return states.every(({ messageCount }) => messageCount === 0)
        },
        { what: 'the queues to be empty' },
      )
    },
    async stop() {
      stopped ??= stop()
      await stopped
    },
  }
}

const SPELL_MS = 300

async function raise(channel: Channel, id: string): Promise<void> {
  await channel.assertExchange(id, 'fanout', { durable: false })
  await channel.bindQueue(id, id, '')
}

function withoutQueue(channel: Channel, id: string): Spell {
  return async () => {
    await channel.unbindQueue(id, id, '')
    await pause(SPELL_MS)
    await channel.bindQueue(id, id, '')
  }
}

function withoutExchange(channel: Channel, id: string): Spell {
  return async () => {
    await channel.deleteExchange(id)
    await pause(SPELL_MS)
    await raise(channel, id)
  }
}
