import type { AddressGuard } from '../guard/address-guard.ts'
import { guardedAgents } from '../guard/node-agents.ts'
import type { AwsAccess } from './access.ts'
import { collectAnswer } from './collect-answer.ts'
import { NoAnswerError } from './no-answer-error.ts'

export interface ClientOptionsParams {
  readonly access: AwsAccess
  readonly guard: AddressGuard
  /** Connections at once. */
  readonly maxSockets: number
}

/**
 * The options of every client of an SDK of AWS. Loads the SDK's transport.
 *
 * What a client is not told it looks for in the environment, in files of the home directory and on the
 * network. It would find the operator's settings there, which are nothing to a tenant: so it is told
 * everything. It makes one try, and whatever it says, it says in errors.
 */
export async function awsClientOptions({ access, guard, maxSockets }: ClientOptionsParams) {
  const [{ NodeHttpHandler }, { state }] = await Promise.all([
    import('@smithy/node-http-handler'),
    import('@aws-sdk/core/client'),
  ])
  // Else the first client writes to standard error that a later release will need another Node.
  state.warningEmitted = true
  const { tenantUid, region, endpoint, credentials } = access
  // No timeouts of its own: a call ends by its signal.
  const requestHandler = new NodeHttpHandler({
    ...guardedAgents(guard, tenantUid, { maxSockets }),
    logger: SILENT,
  })
  const handle = requestHandler.handle.bind(requestHandler)
  requestHandler.handle = async (...request) => {
    try {
      return await handle(...request)
    } catch (error) {
      throw new NoAnswerError(error)
    }
  }
  return {
    region,
    credentials,
    ...(endpoint === null ? {} : { endpoint }),
    ignoreConfiguredEndpointUrls: true,
    maxAttempts: 1,
    retryMode: 'standard',
    defaultsMode: 'standard' as const,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: async () => undefined,
    authSchemePreference: [],
    logger: SILENT,
    streamCollector: collectAnswer,
    requestHandler,
  }
}

function nothing(): void {
  // Errors say it, too.
}

const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }
