/** Every region of every partition: `eu-west-1`, `us-gov-west-1`, `cn-north-1`, `us-isob-east-1`. */
export const AWS_REGION_PATTERN = '^[a-z]{2,4}(?:-[a-z]+)+-[0-9]{1,2}$'

/** Names that stand for no region of AWS are for services that only speak its protocols. */
export const ANY_REGION_PATTERN = '^[a-z0-9](?:[a-z0-9\\-]*[a-z0-9])?$'

const REGION = new RegExp(AWS_REGION_PATTERN, 'u')

export function isAwsRegion(text: string): boolean {
  return REGION.test(text)
}

/** By the beginning of a region's name; the first that fits. Null: a partition without the internet. */
const CONSOLES: readonly (readonly [string, string | null])[] = [
  ['us-gov-', 'console.amazonaws-us-gov.com'],
  ['cn-', 'console.amazonaws.cn'],
  ['eusc-', 'console.amazonaws-eusc.eu'],
  ['us-iso', null],
  ['eu-iso', null],
  ['', 'console.aws.amazon.com'],
]

/** Where the console of a region is, as `https://<host>`; null when it is not on the internet. */
export function awsConsole(region: string): string | null {
  const [, host = null] = CONSOLES.find(([prefix]) => region.startsWith(prefix)) ?? []
  return host === null ? null : `https://${region}.${host}`
}
