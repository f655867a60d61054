import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'

export interface DnsRecords {
  readonly a?: readonly string[]
  readonly aaaa?: readonly string[]
  /** Seconds. Default 30. */
  readonly ttl?: number
  /** Answers wait for this. */
  readonly after?: Promise<unknown>
}

export interface DnsServer {
  /** As name server of a resolver. */
  readonly address: string
  /** The names that were asked for IPv4 addresses, in order. */
  readonly asked: readonly string[]
  stop(): Promise<void>
}

const TYPE_A = 1
const TYPE_AAAA = 28
const HEADER_BYTES = 12

/** A name server on 127.0.0.1 that knows these names and denies all others. */
export async function startDnsServer(
  names: Readonly<Record<string, DnsRecords>>,
): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  let isStopped = false
  socket.on('message', (query: Buffer, client: RemoteInfo) => {
    const { name, type, end } = readQuestion(query)
    if (type === TYPE_A) asked.push(name)
    const records = names[name]
    const answer = writeAnswer(query.subarray(0, end), type, records)
    const send = (): void => {
      if (!isStopped) socket.send(answer, client.port, client.address)
    }
    if (records?.after === undefined) send()
    else void records.after.finally(send)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async stop() {
      isStopped = true
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function writeAnswer(question: Buffer, type: number, records: DnsRecords | undefined): Buffer {
  const addresses =
    (type === TYPE_A ? records?.a : type === TYPE_AAAA ? records?.aaaa : undefined) ?? []
  const head = Buffer.from(question)
  // A response, authoritative; NXDOMAIN for unknown names.
  head.writeUInt16BE(records === undefined ? 0x8583 : 0x8580, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt16BE(0, 8)
  head.writeUInt16BE(0, 10)
  return Buffer.concat([
    head,
    ...addresses.map((address) => {
      const data = type === TYPE_A ? v4Bytes(address) : v6Bytes(address)
      const record = Buffer.alloc(12)
      record.writeUInt16BE(0xc000 + HEADER_BYTES, 0)
      record.writeUInt16BE(type, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt32BE(records?.ttl ?? 30, 6)
      record.writeUInt16BE(data.length, 10)
      return Buffer.concat([record, data])
    }),
  ])
}

function v4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number))
}

/** Of an address with one `::` or none. */
function v6Bytes(address: string): Buffer {
  const [start = [], end = []] = address.split('::').map(groupsOf)
  const all = [...start, ...Array<number>(8 - start.length - end.length).fill(0), ...end]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}
