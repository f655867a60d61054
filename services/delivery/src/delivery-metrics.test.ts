import type { AttemptResult } from '@postrider/common'
import { DeliveryMetrics } from './delivery-metrics.ts'

const attempt: AttemptResult = {
  uid: 'u',
  status: 'success',
  code: '200',
  timeMs: 0,
  durationMs: 30,
  response: null,
}

describe('the metrics of a deliverer', () => {
  it('counts what came of jobs, and how long attempts took', () => {
    const metrics = new DeliveryMetrics({ held: () => 3, oldestDueAgeMs: () => 1500 })
    const facts = { retryAfterMs: null, disableVersion: null }
    metrics.count({ kind: 'attempted', attempt, ...facts })
    metrics.count({ kind: 'attempted', attempt: { ...attempt, status: 'failed' }, ...facts })
    metrics.count({ kind: 'deferred', delayMs: 1000 })
    metrics.count({ kind: 'fault', attempt })
    const lines = metrics.text().split('\n')
    for (const kind of ['success', 'failed', 'deferred', 'fault']) {
      expect(lines).toContain(`postrider_outcomes_total{kind="${kind}"} 1`)
    }
    expect(lines).toContain('postrider_attempt_seconds_count 2')
    expect(lines).toContain('postrider_attempt_seconds_bucket{le="0.05"} 2')
  })

  it('shows what is held and due at the moment it is asked', () => {
    let held = 3
    const metrics = new DeliveryMetrics({ held: () => held, oldestDueAgeMs: () => 1500 })
    held = 7
    expect(metrics.text()).toContain('\npostrider_jobs_held 7\n')
    expect(metrics.text()).toContain('\npostrider_oldest_due_age_seconds 1.5\n')
  })
})
