export { explainStart } from './explain-start.ts'
export { runService, type RunningService, type RunServiceOptions } from './run-service.ts'
