import { InProcessState } from '../src/index.ts'
import { describeSharedState } from './shared-state.suite.ts'

describeSharedState('the state in the process', () => {
  let nowMs = 1_000
  return Promise.resolve({
    numRuns: 150,
    open: (limits, log) => Promise.resolve(new InProcessState({ limits, log, nowMs: () => nowMs })),
    pass: (ms) => {
      nowMs += ms
      return Promise.resolve()
    },
    stop: () => Promise.resolve(),
  })
})
