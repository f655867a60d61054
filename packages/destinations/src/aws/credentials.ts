import type { StringMap } from '@postrider/common'

/** An access key, with the token that temporary ones come with. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Null: the credentials are not such as validation lets through. */
export function awsCredentials({ key, secret, session }: StringMap): AwsCredentials | null {
  if (key === undefined || secret === undefined) return null
  const accessKey = { accessKeyId: key, secretAccessKey: secret }
  return session === undefined ? accessKey : { ...accessKey, sessionToken: session }
}

/** A text of the service without what is secret: it may repeat the request that it refuses. */
export function withoutSecrets(text: string, credentials: AwsCredentials): string {
  return Object.values(credentials).reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}
