import type { LogFields } from '@postrider/common'
import { silentLog } from '@postrider/testkit'
import { FaultLog } from './fault-log.ts'

function open() {
  const lines: LogFields[] = []
  const clock = { nowMs: 0 }
  const log = {
    ...silentLog,
    error: (_: string, fields?: LogFields) => void lines.push(fields ?? {}),
  }
  return { lines, clock, faults: new FaultLog({ log, now: () => clock.nowMs }) }
}

const AWAY = new Error('the forward proxy cannot be reached')

describe('faults before sends', () => {
  it('are told at once, with the delivery that they befell', () => {
    const { lines, faults } = open()
    faults.tell(AWAY, { eventId: 'evt_1' })
    expect(lines).toEqual([{ eventId: 'evt_1', error: AWAY }])
  })

  it('that befall thousands of deliveries are told once a minute, with how many there were', () => {
    const { lines, clock, faults } = open()
    for (let n = 0; n < 3000; n++) faults.tell(AWAY, { eventId: `evt_${n}` })
    clock.nowMs = 59_999
    faults.tell(AWAY, { eventId: 'evt_3000' })
    expect(lines).toHaveLength(1)

    clock.nowMs = 60_000
    faults.tell(AWAY, { eventId: 'evt_3001' })
    expect(lines[1]).toEqual({ eventId: 'evt_3001', repeated: 3000, error: AWAY })
  })

  it('of another kind are told besides', () => {
    const { lines, faults } = open()
    const errors = [AWAY, new Error('the credentials cannot be decrypted'), 'no error at all']
    for (const error of [...errors, ...errors]) faults.tell(error, {})
    expect(lines.map(({ error }) => error)).toEqual(errors)
  })

  it('with a message of their own each do not fill the log', () => {
    const { lines, clock, faults } = open()
    for (let n = 0; n < 3000; n++) faults.tell(new Error(`fault ${n}`), {})
    expect(lines).toHaveLength(101)

    clock.nowMs = 120_000
    faults.tell(new Error('fault 3000'), {})
    expect(lines).toHaveLength(102)
  })
})
