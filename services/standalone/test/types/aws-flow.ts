import { type AwsFault, type AwsFaults, freePort } from '@postrider/testkit'
import type { FailureCase } from './type-flow.ts'

/** The region of everything in these tests. */
export const REGION = 'eu-west-1'
export const ACCESS_KEY = { key: 'AKIATHERIGHTONE', secret: 'a-secret-that-is-right' }
/** Another access key, that nobody knows. */
export const WRONG_KEY = { key: 'AKIATHEWRONGONE', secret: 'a-secret-that-is-wrong' }

/** Whatever else is wrong: the servers of the tests know every access key but this one. */
export function refuseWrongKey(faults: AwsFaults, error: string): void {
  faults.refuseAccessKey(WRONG_KEY.key, { error, status: 403 })
}

/** What can go wrong with every type of AWS. */
export async function awsFailures(faults: AwsFaults): Promise<readonly FailureCase[]> {
  return [
    failing(faults, 'it has too much to do', 'throttled', { error: 'ThrottlingException' }),
    failing(faults, 'the user may not do it', 'access_denied', {
      error: 'AccessDeniedException',
      status: 403,
    }),
    failing(faults, 'it fails', 'service_error', { error: 'InternalFailure', status: 500 }),
    failing(faults, 'it is silent', 'timeout', { act: 'silence' }),
    failing(faults, 'the connection breaks', 'connection_reset', { act: 'reset' }),
    {
      when: 'nobody listens',
      code: 'connection_refused',
      settings: { config: { endpoint: `http://127.0.0.1:${await freePort()}` } },
    },
    {
      when: 'the name does not exist',
      code: 'dns_error',
      settings: { config: { endpoint: 'http://nowhere.invalid' } },
    },
  ]
}

/** The first two tries fail, and the third is well. */
function failing(faults: AwsFaults, when: string, code: string, fault: AwsFault): FailureCase {
  return {
    when,
    code,
    provoke: () => {
      faults.next(fault, fault)
      return () => undefined
    },
  }
}
