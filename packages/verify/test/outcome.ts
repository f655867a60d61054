import { VerificationError, type Verifier, type WebhookRequest } from '@postrider/verify'

/** `accepted`, or the code with which the request is refused. */
export async function outcomeOf(
  verifier: Verifier<unknown>,
  request: WebhookRequest,
): Promise<string> {
  try {
    await verifier.verify(request)
    return 'accepted'
  } catch (error) {
    if (error instanceof VerificationError) return error.code
    throw error
  }
}

/** The outcomes that came about. */
export async function outcomesOf(
  verifier: Verifier<unknown>,
  requests: readonly WebhookRequest[],
): Promise<ReadonlySet<string>> {
  return new Set(await Promise.all(requests.map((request) => outcomeOf(verifier, request))))
}

/** The code of what making a verifier throws. */
export function codeOf(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    if (error instanceof VerificationError) return error.code
    throw error
  }
  return 'none'
}
