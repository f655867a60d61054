export { InProcessState, type InProcessStateOptions } from './in-process/in-process-state.ts'
export { RedisState, type RedisStateOptions } from './redis/redis-state.ts'
export {
  type Announcement,
  type Place,
  type RunwayLimits,
  type SharedState,
  type TakeOptions,
  TENANT_MINIMUM_PLACES,
} from './shared-state.ts'
