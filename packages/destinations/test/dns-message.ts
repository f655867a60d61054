import ipaddr from 'ipaddr.js'

export const TYPE_A = 1
export const TYPE_AAAA = 28
const TYPE_CNAME = 5
const HEADER_BYTES = 12

/** What a query asks for, and the bytes that an answer repeats. */
export interface Question {
  readonly name: string
  readonly type: number
  /** Header and question. */
  readonly bytes: Buffer
}

export interface Answer {
  readonly addresses: readonly string[]
  /** Null: the name has the addresses itself. */
  readonly alias: string | null
  readonly ttl: number
  readonly code: 'NOERROR' | 'SERVFAIL' | 'NXDOMAIN'
  readonly isTruncated: boolean
}

const CODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 } as const
/** A response, authoritative, recursion desired and available. */
const RESPONSE = 0x8580
const TRUNCATED = 0x0200

export function readQuestion(query: Buffer): Question {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    bytes: query.subarray(0, at + 5),
  }
}

/** A truncated answer says so and has nothing else. */
export function writeAnswer({ name, type, bytes }: Question, answer: Answer): Buffer {
  const { alias, ttl, code, isTruncated } = answer
  const records = isTruncated
    ? []
    : [
        ...(alias === null ? [] : [record(name, TYPE_CNAME, ttl, nameBytes(alias))]),
        ...answer.addresses.map((address) =>
          record(alias ?? name, type, ttl, Buffer.from(ipaddr.parse(address).toByteArray())),
        ),
      ]
  const head = Buffer.from(bytes)
  head.writeUInt16BE(RESPONSE | CODES[code] | (isTruncated ? TRUNCATED : 0), 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt16BE(0, 8)
  head.writeUInt16BE(0, 10)
  return Buffer.concat([head, ...records])
}

function record(name: string, type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([nameBytes(name), fixed, data])
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => {
    const text = Buffer.from(label, 'latin1')
    return Buffer.concat([Buffer.from([text.length]), text])
  })
  return Buffer.concat([...labels, Buffer.from([0])])
}
