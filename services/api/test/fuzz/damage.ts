import * as fc from 'fast-check'

const KINDS = [
  'cut',
  'not utf-8',
  'members twice',
  'mark',
  'body twice',
  'nothing',
  'large',
] as const

/** What goes wrong with the bytes of a body. */
export interface Damage {
  readonly kind: (typeof KINDS)[number]
  /** Where, counted around. */
  readonly at: number
}

export function damages(): fc.Arbitrary<Damage> {
  return fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(1000) })
}

export function damaged(body: Buffer, damage: Damage): Buffer {
  const at = damage.at % (body.length + 1)
  switch (damage.kind) {
    case 'cut':
      return body.subarray(0, at)
    case 'not utf-8':
      return Buffer.concat([body.subarray(0, at), Buffer.of(0xff), body.subarray(at)])
    case 'members twice':
      return Buffer.from(body.toString().replace(/^\{(.+)\}$/s, '{$1,$1}'))
    case 'mark':
      return Buffer.concat([Buffer.from('\ufeff'), body])
    case 'body twice':
      return Buffer.concat([body, body])
    case 'nothing':
      return Buffer.alloc(0)
    case 'large':
      // Over the limit together with whatever comes before it.
      return Buffer.concat([body, Buffer.alloc(1024 * 1024, 0x20)])
  }
}
