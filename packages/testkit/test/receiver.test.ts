import { createHmac } from 'node:crypto'
import { createHold, type Receiver, startReceiver, verifySignature } from '@postrider/testkit'

describe('receiver', () => {
  let receiver: Receiver

  beforeEach(async () => {
    receiver = await startReceiver()
  })

  afterEach(() => receiver.stop())

  it('records the exact bytes and answers 200 when nothing is scripted', async () => {
    const body = '{"n":12345678901234567890}'
    const response = await fetch(`${receiver.url}/hook?a=1`, {
      method: 'POST',
      body,
      headers: { 'x-service-id': 'evt_1' },
    })

    const [request] = await receiver.waitFor(1)

    expect(response.status).toBe(200)
    expect(request).toMatchObject({ method: 'POST', path: '/hook?a=1', eventId: 'evt_1' })
    expect(request?.body.toString()).toBe(body)
  })

  it('answers the next requests as scripted, the script of an event first', async () => {
    receiver.answer(
      { status: 500, body: 'broken' },
      { status: 429, headers: { 'retry-after': '7' } },
    )
    receiver.answerEvent('evt_2', { status: 410 })
    const send = (eventId: string) =>
      fetch(receiver.url, { method: 'POST', headers: { 'x-service-id': eventId } })

    const gone = await send('evt_2')
    const broken = await send('evt_1')
    const slow = await send('evt_2')
    const fine = await send('evt_1')

    expect([gone.status, broken.status, slow.status, fine.status]).toEqual([410, 500, 429, 200])
    expect(await broken.text()).toBe('broken')
    expect(slow.headers.get('retry-after')).toBe('7')
  })

  it('holds an answer until the test lets it go', async () => {
    const hold = createHold()
    receiver.answer({ after: hold.released, status: 201 })
    let answered = false
    const response = fetch(receiver.url).finally(() => (answered = true))

    await receiver.waitFor(1)
    expect(answered).toBe(false)

    hold.release()
    expect((await response).status).toBe(201)
  })

  it('says how many requests arrived when too few do before the deadline', async () => {
    await fetch(receiver.url)

    await expect(receiver.waitFor(2, 10)).rejects.toThrow('1 of 2 requests arrived in 10 ms')
  })
})

describe('signature check', () => {
  const body = Buffer.from('{"a":1}')
  const signature = createHmac('sha256', 'whsec_a').update('1700000000.{"a":1}').digest('hex')

  it('accepts a header in which one signature was made with the secret', () => {
    const header = `t=1700000000,v0=${'0'.repeat(64)},${signature}`

    expect(verifySignature({ secret: 'whsec_a', header, body })).toBe(true)
  })

  it.each([
    ['another secret', 'whsec_b', `t=1700000000,v0=${signature}`],
    ['another timestamp', 'whsec_a', `t=1700000001,v0=${signature}`],
    ['a shortened signature', 'whsec_a', `t=1700000000,v0=${signature.slice(2)}`],
    ['another form', 'whsec_a', `v0=${signature}`],
  ])('refuses %s', (_, secret, header) => {
    expect(verifySignature({ secret, header, body })).toBe(false)
  })
})
