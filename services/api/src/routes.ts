import { attemptRoutes } from './attempts/attempt-routes.ts'
import type { ApiContext } from './context.ts'
import { destinationTypeRoutes } from './destination-types/type-routes.ts'
import { destinationRoutes } from './destinations/destination-routes.ts'
import { eventRoutes } from './events/event-routes.ts'
import { healthRoutes } from './health/health-routes.ts'
import type { Route } from './http/route.ts'
import { publishRoute } from './publish/publish-route.ts'
import { retryRoute } from './retry/retry-route.ts'
import { tenantRoutes } from './tenants/tenant-routes.ts'
import { topicRoutes } from './topics/topic-routes.ts'

/** The routes under the base path, the busiest first: express looks through them in this order. */
export function apiRoutes(context: ApiContext): readonly Route[] {
  return [
    publishRoute(context),
    ...eventRoutes(context),
    ...attemptRoutes(context),
    retryRoute(context),
    ...destinationRoutes(context),
    ...tenantRoutes(context),
    ...topicRoutes(context),
    ...destinationTypeRoutes(context),
    ...healthRoutes(context),
  ]
}
