export { explainStart } from './explain-start.ts'
export { createLogger, type Logger, type LoggerOptions } from './logger.ts'
export {
  type Metric,
  type MetricOptions,
  Metrics,
  METRICS_CONTENT_TYPE,
} from './metrics/metrics.ts'
export type { Counter, Gauge, Histogram } from './metrics/series.ts'
export { runService, type RunningService, type RunServiceOptions } from './run-service.ts'
