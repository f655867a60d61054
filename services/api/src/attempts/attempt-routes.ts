import type { ApiContext } from '../context.ts'
import type { Route } from '../http/route.ts'
import { getAttemptRoute } from './get-attempt.ts'
import { listAttemptsRoute } from './list-attempts.ts'

export function attemptRoutes(context: ApiContext): readonly Route[] {
  return [listAttemptsRoute(context), getAttemptRoute(context)]
}
