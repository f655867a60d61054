import {
  createRegistry,
  type DestinationSettings,
  type DestinationType,
  validateSettings,
} from '@postrider/destinations'
import type { StringMap } from '@postrider/common'
import { SILENT_LOG, webhookSettings } from './factories.ts'

/** All types; besides public addresses, destinations may be in 10.1.0.0/16. */
export const registry = createRegistry({
  webhook: webhookSettings(),
  allowedNetworks: ['10.1.0.0/16'],
  version: 'test',
  log: SILENT_LOG,
})

/** A type by its name. */
export function typeNamed(name: string): DestinationType {
  const type = registry.get(name)
  if (type === undefined) throw new Error(`there is no type ${name}`)
  return type
}

/** Members that are other than in the sample; undefined: it is not there. */
export type Changes = Readonly<Record<string, string | undefined>>

/** The example settings of a type, which are good, with changes. */
export function settingsOf(
  name: string,
  changes: { readonly config?: Changes; readonly credentials?: Changes } = {},
): DestinationSettings {
  const { config, credentials } = typeNamed(name).example
  return {
    config: changed(config, changes.config),
    credentials: changed(credentials, changes.credentials),
  }
}

/** The faults of good settings of a type after changes to its config. */
export function configFaults(name: string, config: Changes): readonly string[] {
  return validateSettings(typeNamed(name), settingsOf(name, { config }))
}

/** The faults of good settings of a type after changes to its credentials. */
export function credentialFaults(name: string, credentials: Changes): readonly string[] {
  return validateSettings(typeNamed(name), settingsOf(name, { credentials }))
}

/** Where good settings of a type point to after changes to their config. */
export function targetOf(name: string, config: Changes = {}, topics: readonly string[] = ['*']) {
  return typeNamed(name).target({ ...settingsOf(name, { config }), topics })
}

function changed(map: StringMap, changes: Changes = {}): StringMap {
  const members = new Map(Object.entries(map))
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) members.delete(key)
    else members.set(key, value)
  }
  return Object.fromEntries(members)
}
