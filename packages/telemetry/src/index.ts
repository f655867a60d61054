export { runService, type RunningService, type RunServiceOptions } from './run-service.ts'
