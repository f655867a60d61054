import type { Setting } from './setting.ts'
import { apiSettings } from './settings/api-settings.ts'
import { deliverySettings } from './settings/delivery-settings.ts'
import { destinationSettings } from './settings/destination-settings.ts'
import { processSettings } from './settings/process-settings.ts'
import { secretSettings } from './settings/secret-settings.ts'
import { serverSettings } from './settings/server-settings.ts'

/** Every environment variable there is; readers and the reference know no other. */
export const table = {
  servers: serverSettings,
  secrets: secretSettings,
  process: processSettings,
  api: apiSettings,
  delivery: deliverySettings,
  destinations: destinationSettings,
} as const

/** The value of each setting of a group, under the same key. */
export type ValuesOf<G> = { readonly [K in keyof G]: G[K] extends Setting<infer T> ? T : never }

/** What the environment says, before it is joined to a configuration. */
export type Values = { readonly [G in keyof typeof table]: ValuesOf<(typeof table)[G]> }
