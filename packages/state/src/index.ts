export {
  type Announcement,
  type Place,
  type RunwayLimits,
  type SharedState,
  type TakeOptions,
  TENANT_MINIMUM_PLACES,
} from './shared-state.ts'
