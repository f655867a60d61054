export type {
  CredentialChange,
  DestinationSettings,
  DestinationType,
  Sender,
  SendRequest,
  SendResult,
  SettledCredentials,
  Target,
  TypeDocument,
  TypeField,
  Verification,
} from './destination-type.ts'
export { AddressGuard } from './guard/address-guard.ts'
export { isMask, isMaskOf, maskCredentials } from './mask.ts'
export { createRegistry, type Registry, type RegistryOptions } from './registry.ts'
export { validateSettings } from './validate-fields.ts'
export type { WebhookSettings } from './webhook/settings.ts'
export { createWebhookType } from './webhook/webhook-type.ts'
