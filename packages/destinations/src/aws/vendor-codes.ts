/** Codes of what the services of AWS answer; a missing target has a code of its type. */
export type AwsCode =
  'auth_failed' | 'access_denied' | 'wrong_region' | 'throttled' | 'too_large' | 'service_error'

/** Names of errors, without the `Exception` and `Error` that some services end them with. */
const CODES: ReadonlyMap<string, AwsCode> = new Map([
  ...each('auth_failed', [
    'ExpiredToken',
    'IncompleteSignature',
    'InvalidAccessKeyId',
    'InvalidClientTokenId',
    'InvalidSecurity',
    'InvalidSignature',
    'InvalidToken',
    'MissingAuthenticationToken',
    'SignatureDoesNotMatch',
    'TokenRefreshRequired',
    'UnrecognizedClient',
  ]),
  ...each('access_denied', [
    'AccessDenied',
    'AccountProblem',
    'AllAccessDisabled',
    'KMSAccessDenied',
    'KmsAccessDenied',
    'NotSignedUp',
    'OptInRequired',
    'UnauthorizedOperation',
  ]),
  ...each('wrong_region', [
    'AuthorizationHeaderMalformed',
    'IllegalLocationConstraint',
    'PermanentRedirect',
    'TemporaryRedirect',
  ]),
  ...each('throttled', [
    'KMSThrottling',
    'KmsThrottled',
    'LimitExceeded',
    'ProvisionedThroughputExceeded',
    'RequestLimitExceeded',
    'RequestThrottled',
    'SlowDown',
    'Throttled',
    'Throttling',
    'TooManyRequests',
  ]),
  ...each('too_large', [
    'BatchRequestTooLong',
    'EntityTooLarge',
    'MaxMessageLengthExceeded',
    'MetadataTooLarge',
    'RequestEntityTooLarge',
  ]),
])

/** For answers that name no error, or none that is known. */
const CODES_OF_STATUSES: ReadonlyMap<number, AwsCode> = new Map([
  [401, 'auth_failed'],
  [403, 'access_denied'],
  [413, 'too_large'],
  [429, 'throttled'],
])

/**
 * The code of an answer of AWS.
 *
 * @param name - of the error; null when the answer has none
 */
export function vendorCode(name: string | null, status: number | null): AwsCode {
  const byName = name === null ? undefined : CODES.get(name.replace(/(?:Exception|Error)$/, ''))
  return byName ?? CODES_OF_STATUSES.get(status ?? 0) ?? 'service_error'
}

function each(code: AwsCode, names: readonly string[]): [string, AwsCode][] {
  return names.map((name) => [name, code])
}
