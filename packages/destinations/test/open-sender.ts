import type { Log } from '@postrider/common'
import { createRegistry, type Sender } from '@postrider/destinations'
import { SILENT_LOG, webhookSettings } from './factories.ts'

export interface OpenSenderOptions {
  /** Default: loopback. */
  readonly allowedNetworks?: readonly string[]
  readonly connectTimeoutMs?: number
  readonly kinesisMetadataInPayload?: boolean
  readonly log?: Log
}

/** The sender of a type as the service makes it. */
export function openSender(type: string, options: OpenSenderOptions = {}): Sender {
  const registry = createRegistry({
    webhook: webhookSettings(),
    allowedNetworks: ['127.0.0.0/8', '::1/128'],
    version: 'test',
    log: SILENT_LOG,
    ...options,
  })
  const sender = registry.get(type)?.createSender()
  if (sender === undefined) throw new Error(`there is no type ${type}`)
  return sender
}
