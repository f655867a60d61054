import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import {
  type Answer,
  type Question,
  readQuestion,
  TYPE_A,
  TYPE_AAAA,
  writeAnswer,
} from './dns-message.ts'

export interface DnsRecords {
  readonly a?: readonly string[]
  readonly aaaa?: readonly string[]
  /** The name is an alias of this one, which has the addresses. Default: it has them itself. */
  readonly cname?: string
  /** Seconds. Default 30. */
  readonly ttl?: number
  /** Over UDP the answer is only that there is more. */
  readonly isTruncated?: boolean
  /** The answer is that the name server cannot tell (SERVFAIL). */
  readonly isFailing?: boolean
  /** Questions of this family are never answered. */
  readonly silentFor?: 'a' | 'aaaa'
  /** Answers wait for this. */
  readonly after?: Promise<unknown>
}

/** Records by name. Of a list each lookup gets the next, and at its end the last one again. */
export type DnsZone = Readonly<Record<string, DnsRecords | readonly DnsRecords[]>>

export interface DnsServer {
  /** As name server of a resolver. */
  readonly address: string
  /** The names that were asked for IPv4 addresses, in order. */
  readonly asked: readonly string[]
  stop(): Promise<void>
}

/** A name server on 127.0.0.1, over UDP and TCP, that knows these names and denies all others. */
export async function startDnsServer(zone: DnsZone): Promise<DnsServer> {
  const asked: string[] = []
  const turns = new Map<string, number>()
  const connections = new Set<Socket>()
  let isStopped = false

  function recordsFor({ name, type }: Question): DnsRecords | undefined {
    const entry = zone[name]
    if (entry === undefined || !isList(entry)) return entry
    const turn = turns.get(`${type} ${name}`) ?? 0
    turns.set(`${type} ${name}`, turn + 1)
    return entry[Math.min(turn, entry.length - 1)]
  }

  function reply(query: Buffer, isDatagram: boolean, send: (message: Buffer) => void): void {
    const question = readQuestion(query)
    if (question.type === TYPE_A) asked.push(question.name)
    const records = recordsFor(question)
    if (familyOf(question) === records?.silentFor) return
    const message = writeAnswer(question, answerOf(question, records, isDatagram))
    const sendUnlessStopped = (): void => {
      if (!isStopped) send(message)
    }
    if (records?.after === undefined) sendUnlessStopped()
    else void records.after.finally(sendUnlessStopped)
  }

  const tcp = createServer((connection) => {
    connections.add(connection)
    connection.on('error', () => undefined)
    connection.on('data', (message: Buffer) => {
      reply(message.subarray(2), false, (answer) => {
        const length = Buffer.alloc(2)
        length.writeUInt16BE(answer.length)
        connection.write(Buffer.concat([length, answer]))
      })
    })
  })
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4')
  udp.on('message', (query: Buffer, client) => {
    reply(query, true, (answer) => udp.send(answer, client.port, client.address))
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  return {
    address: `127.0.0.1:${port}`,
    asked,
    async stop() {
      isStopped = true
      for (const connection of connections) connection.destroy()
      udp.close()
      tcp.close()
      await Promise.all([once(udp, 'close'), once(tcp, 'close')])
    },
  }
}

function answerOf(
  question: Question,
  records: DnsRecords | undefined,
  isDatagram: boolean,
): Answer {
  const family = familyOf(question)
  return {
    addresses: (family === null ? undefined : records?.[family]) ?? [],
    alias: records?.cname ?? null,
    ttl: records?.ttl ?? 30,
    code: records === undefined ? 'NXDOMAIN' : records.isFailing === true ? 'SERVFAIL' : 'NOERROR',
    isTruncated: isDatagram && records?.isTruncated === true,
  }
}

function familyOf({ type }: Question): 'a' | 'aaaa' | null {
  if (type === TYPE_A) return 'a'
  return type === TYPE_AAAA ? 'aaaa' : null
}

function isList(entry: DnsRecords | readonly DnsRecords[]): entry is readonly DnsRecords[] {
  return Array.isArray(entry)
}
