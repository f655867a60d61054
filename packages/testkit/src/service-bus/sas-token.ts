import { createHmac } from 'node:crypto'

/** A key of a shared access policy. */
export interface AccessKey {
  readonly name: string
  readonly key: string
}

/**
 * Why Service Bus refuses a shared access signature, in its words; null when it is good.
 *
 * https://learn.microsoft.com/azure/service-bus-messaging/service-bus-sas
 */
export function tokenFault(token: string, { name, key }: AccessKey): string | null {
  const members = new URLSearchParams(token.replace(/^SharedAccessSignature /, ''))
  const [resource, expiry] = [members.get('sr') ?? '', members.get('se') ?? '']
  if (members.get('skn') !== name) return 'InvalidSignature: The key name is not known.'
  if (Number(expiry) * 1000 < Date.now()) return 'ExpiredToken: The token is expired.'
  const signature = createHmac('sha256', key)
    .update(`${encodeURIComponent(resource)}\n${expiry}`)
    .digest('base64')
  const isGood = members.get('sig') === signature
  return isGood ? null : 'InvalidSignature: The token has an invalid signature.'
}
