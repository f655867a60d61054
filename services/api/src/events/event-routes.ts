import type { ApiContext } from '../context.ts'
import type { Route } from '../http/route.ts'
import { getDestinationEventRoute, listDestinationEventsRoute } from './destination-events.ts'
import { getEventRoute, getTenantEventRoute } from './get-event.ts'
import { listEventsRoute, listTenantEventsRoute } from './list-events.ts'

export function eventRoutes(context: ApiContext): readonly Route[] {
  return [
    listEventsRoute(context),
    listTenantEventsRoute(context),
    getEventRoute(context),
    getTenantEventRoute(context),
    listDestinationEventsRoute(context),
    getDestinationEventRoute(context),
  ]
}
