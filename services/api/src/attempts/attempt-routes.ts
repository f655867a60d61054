import type { ApiContext } from '../context.ts'
import type { Route } from '../http/route.ts'
import { listEventDeliveriesRoute } from './event-deliveries.ts'
import { getAttemptRoute, getDestinationAttemptRoute } from './get-attempt.ts'
import { listAttemptsRoute, listDestinationAttemptsRoute } from './list-attempts.ts'

export function attemptRoutes(context: ApiContext): readonly Route[] {
  return [
    listAttemptsRoute(context),
    getAttemptRoute(context),
    listDestinationAttemptsRoute(context),
    getDestinationAttemptRoute(context),
    listEventDeliveriesRoute(context),
  ]
}
