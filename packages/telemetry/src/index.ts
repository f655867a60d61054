export { explainStart } from './explain-start.ts'
export { createLogger, type Logger, type LoggerOptions } from './logger.ts'
export { runService, type RunningService, type RunServiceOptions } from './run-service.ts'
