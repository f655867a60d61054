import { Metrics } from './metrics.ts'

describe('Metrics', () => {
  it('writes counters by their labels', () => {
    const metrics = new Metrics()
    const attempts = metrics.counter({
      name: 'attempts_total',
      help: 'Attempts made.',
      labels: ['type', 'result'],
    })
    attempts.of({ result: 'success', type: 'webhook' }).add()
    attempts.of({ type: 'webhook', result: 'failed' }).add(2)
    attempts.of({ type: 'webhook', result: 'success' }).add()
    expect(metrics.text()).toBe(`# HELP postrider_attempts_total Attempts made.
# TYPE postrider_attempts_total counter
postrider_attempts_total{type="webhook",result="success"} 2
postrider_attempts_total{type="webhook",result="failed"} 2
`)
  })

  it('writes gauges as they were set, or as they are when asked', () => {
    const metrics = new Metrics()
    const places = metrics.gauge({ name: 'window_jobs', help: 'Jobs held.', labels: ['queue'] })
    let held = 3
    places.of({ queue: 'fresh' }).set(-1.5)
    places.of({ queue: 'retry' }).follow(() => held)
    held = 7
    expect(metrics.text().split('\n').slice(2)).toEqual([
      'postrider_window_jobs{queue="fresh"} -1.5',
      'postrider_window_jobs{queue="retry"} 7',
      '',
    ])
  })

  it('writes histograms cumulatively, each bound within its bucket', () => {
    const metrics = new Metrics()
    const durations = metrics.histogram({
      name: 'attempt_seconds',
      help: 'How long attempts take.',
      labels: ['type'],
      bounds: [0.1, 1],
    })
    for (const value of [0.05, 0.1, 0.5, 2]) durations.of({ type: 'webhook' }).observe(value)
    expect(metrics.text()).toBe(`# HELP postrider_attempt_seconds How long attempts take.
# TYPE postrider_attempt_seconds histogram
postrider_attempt_seconds_bucket{type="webhook",le="0.1"} 2
postrider_attempt_seconds_bucket{type="webhook",le="1"} 3
postrider_attempt_seconds_bucket{type="webhook",le="+Inf"} 4
postrider_attempt_seconds_sum{type="webhook"} 2.65
postrider_attempt_seconds_count{type="webhook"} 4
`)
  })

  it('shows a metric without labels before it was ever touched', () => {
    const metrics = new Metrics()
    const lost = metrics.counter({ name: 'lost_total', help: 'Lost.' })
    expect(metrics.text()).toContain('\npostrider_lost_total 0\n')
    lost.of({}).add(5)
    expect(metrics.text()).toContain('\npostrider_lost_total 5\n')
  })

  it('escapes what would break a line', () => {
    const metrics = new Metrics()
    const odd = metrics.counter({ name: 'odd_total', help: 'a\\b\nc', labels: ['text'] })
    odd.of({ text: 'q"\\\n' }).add()
    expect(metrics.text()).toBe(`# HELP postrider_odd_total a\\\\b\\nc
# TYPE postrider_odd_total counter
postrider_odd_total{text="q\\"\\\\\\n"} 1
`)
  })

  it('refuses a name that is taken, or cannot be one', () => {
    const metrics = new Metrics()
    metrics.counter({ name: 'jobs_total', help: 'Jobs.' })
    expect(() => metrics.gauge({ name: 'jobs_total', help: 'Jobs.' })).toThrow('exists already')
    expect(() => metrics.gauge({ name: 'Jobs-total', help: 'Jobs.' })).toThrow('cannot be the name')
  })
})
