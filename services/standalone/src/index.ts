export { type Standalone, startStandalone, type StandaloneOptions } from './context.ts'
