import type { ApiContext } from '../context.ts'
import type { Route } from '../http/route.ts'
import { createDestinationRoute } from './create-destination.ts'
import { deleteDestinationRoute } from './delete-destination.ts'
import { getDestinationRoute } from './get-destination.ts'
import { listDestinationsRoute } from './list-destinations.ts'
import { disableDestinationRoute, enableDestinationRoute } from './switch-destination.ts'
import { updateDestinationRoute } from './update-destination.ts'

export function destinationRoutes(context: ApiContext): readonly Route[] {
  return [
    listDestinationsRoute(context),
    createDestinationRoute(context),
    getDestinationRoute(context),
    updateDestinationRoute(context),
    deleteDestinationRoute(context),
    enableDestinationRoute(context),
    disableDestinationRoute(context),
  ]
}
