import type { ApiContext } from './context.ts'
import { healthRoutes } from './health/health-routes.ts'
import type { Route } from './http/route.ts'

/** The routes under the base path, the busiest first: express looks through them in this order. */
export function apiRoutes(context: ApiContext): readonly Route[] {
  return [...healthRoutes(context)]
}
