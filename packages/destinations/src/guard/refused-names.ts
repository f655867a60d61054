import { withoutFinalDot } from './host.ts'

/**
 * Names by which clouds call the services that hand a machine its credentials. They are nobody's
 * receiver, so they are refused whatever they resolve to and whatever networks are allowed. That the
 * addresses behind them are refused too is what protects; this only makes it sure, and tells it early.
 */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  // Google
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  // AWS, and what follows its example
  'instance-data',
  'instance-data.ec2.internal',
  // Azure
  'metadata.azure.internal',
  // Tencent
  'metadata.tencentyun.com',
  // IBM
  'api.metadata.cloud.ibm.com',
  // Equinix: public addresses that answer a machine about itself
  'metadata.packet.net',
  'metadata.platformequinix.com',
])

/** Whether a name, in lower case, belongs to a cloud's metadata service. */
export function isRefusedName(name: string): boolean {
  return METADATA_NAMES.has(withoutFinalDot(name))
}
