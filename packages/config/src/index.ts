export type { Config, Secrets, Settings, Urls } from './config.ts'
