import { describeRequest } from './describe-request.ts'
import type { ReceivedRequest } from './listen.ts'
import type { Verdict } from './signature.ts'

function request(body: string): ReceivedRequest {
  return {
    method: 'POST',
    path: '/hooks?a=1',
    headers: { 'x-service-id': 'evt_1', 'x-service-topic': 'user.created' },
    body: Buffer.from(body),
    arrivedAt: new Date('2026-11-21T12:00:00.123Z'),
  }
}

describe('a request as the receiver shows it', () => {
  it('has its time, path, event id and topic in one line, and its body below', () => {
    expect(describeRequest(request('{"a":1}'), 'valid').split('\n')).toEqual([
      '2026-11-21T12:00:00.123Z  POST /hooks?a=1  evt_1  user.created',
      '  signature valid',
      '  {',
      '    "a": 1',
      '  }',
      '',
    ])
  })

  it.each<[Verdict, string]>([
    ['not valid', 'signature NOT VALID: made with none of the secrets given, or over other bytes'],
    ['unsigned', 'signature NOT VALID: there is no signature header of the known form'],
    ['unchecked', 'no secret given: signature not checked'],
  ])('says that the signature is %s', (verdict, words) => {
    expect(describeRequest(request(''), verdict)).toContain(`\n  ${words}\n  (no body)\n`)
  })

  it('shows the beginning of a long body, and how long it is', () => {
    const body = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => n))
    const shown = describeRequest(request(body), 'valid')
    expect(shown.length).toBeLessThan(5000)
    expect(shown).toContain(`… (${body.length} bytes in all)`)
  })

  it('shows the beginning of a long line', () => {
    const shown = describeRequest(request('x'.repeat(10_000)), 'valid')
    expect(shown.length).toBeLessThan(500)
  })

  it('lets nothing from outside act on the terminal', () => {
    expect(describeRequest(request('\u001B[2J\u0007hello'), 'valid')).toContain('·[2J·hello')
  })
})
