import { type Static, Type } from 'typebox'
import { newDestinationId, newUid, parseRfc3339, type StringMap } from '@postrider/common'
import { type DestinationType, type Registry, validateSettings } from '@postrider/destinations'
import { createDestination, type DestinationContent } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { ApiError, tenantNotFound } from '../http/errors.ts'
import { Metadata } from '../http/metadata.ts'
import { type Caller, defineRoute, type Route } from '../http/route.ts'
import { nullable, PublicId, TenantParams, Time } from '../http/schemas.ts'
import {
  AnyConfig,
  asText,
  configFormFaults,
  contentFaults,
  Filter,
  filterOrNull,
  GivenFields,
  isGivenFields,
  topicList,
  Topics,
} from './destination-input.ts'
import { DestinationView, destinationView } from './destination-view.ts'
import { bodyByType } from './body-by-type.ts'
import { settleSettings, verifyCredentials } from './settings.ts'

const Body = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        ...PublicId,
        description: 'Unique among the destinations of the tenant. Default: a new one.',
      }),
    ),
    type: Type.String({ description: 'The name of a destination type.' }),
    topics: Topics,
    config: Type.Optional(AnyConfig),
    credentials: Type.Optional(GivenFields),
    filter: Type.Optional(nullable(Filter)),
    delivery_metadata: Type.Optional(nullable(Metadata)),
    metadata: Type.Optional(nullable(Metadata)),
    disabled_at: Type.Optional(
      nullable(
        Type.String({ ...Time, description: 'Now or in the past: it starts out disabled.' }),
      ),
    ),
  },
  { additionalProperties: false },
)

type Body = Static<typeof Body>

export function createDestinationRoute({ config, store, state, registry }: ApiContext): Route {
  return defineRoute({
    method: 'POST',
    path: '/tenants/:tenant_id/destinations',
    access: 'tenant',
    operationId: 'createDestination',
    summary: 'Make a destination',
    description:
      'It gets every event that is published once this is answered. A webhook without a secret gets one.',
    tag: 'Destinations',
    params: TenantParams,
    body: Body,
    documentedBody: bodyByType(Body, registry),
    responses: { 201: DestinationView },
    errors: ['tenant_not_found', 'destination_exists', 'destination_limit_reached'],
    check: (body) => [
      ...contentFaults(body, config.api),
      ...typeFaults(body, registry),
      ...disabledAtFaults(body),
    ],
    handle: async ({ caller, params, body }) => {
      const type = registry.get(body.type)
      if (type === undefined) throw new Error('the check let an unknown type through')
      const id = body.id ?? newDestinationId()
      const given = asText(body.credentials ?? {})
      const learned = await verifyCredentials(type, given, params.tenant_id)
      const answer = await createDestination(store, {
        uid: newUid(),
        id,
        tenantId: params.tenant_id,
        type: body.type,
        limit: config.api.maxDestinationsPerTenant,
        content: (now) => contentOf(body, { type, caller, now, learned }),
      })
      switch (answer.kind) {
        case 'tenant_not_found':
          throw tenantNotFound(params.tenant_id)
        case 'exists':
          throw new ApiError('destination_exists', `there is a destination ${id} already`)
        case 'limit_reached':
          throw new ApiError(
            'destination_limit_reached',
            `a tenant has at most ${config.api.maxDestinationsPerTenant} destinations (MAX_DESTINATIONS_PER_TENANT)`,
          )
        case 'found': {
          const { destination } = answer
          await state.announce([{ destinationUid: destination.uid }])
          return { status: 201, body: destinationView(destination, registry, Date.now()) }
        }
      }
    },
  })
}

interface Circumstances {
  readonly type: DestinationType
  readonly caller: Caller
  readonly now: Date
  readonly learned: StringMap
}

function contentOf(body: Body, { type, caller, now, learned }: Circumstances): DestinationContent {
  const settings = settleSettings(type, {
    stored: null,
    config: asText(isGivenFields(body.config) ? (body.config ?? {}) : {}),
    credentials: asText(body.credentials ?? {}),
    caller,
    nowMs: now.getTime(),
    learned,
  })
  const disabledAtMs = typeof body.disabled_at === 'string' ? parseRfc3339(body.disabled_at) : null
  return {
    ...settings,
    topics: topicList(body.topics),
    filter: filterOrNull(body.filter),
    deliveryMetadata: body.delivery_metadata ?? {},
    metadata: body.metadata ?? {},
    disabledAt: disabledAtMs === null ? null : new Date(Math.min(disabledAtMs, now.getTime())),
  }
}

/** What the type finds wrong, told here so that it comes together with everything else. */
function typeFaults(body: unknown, registry: Registry): readonly string[] {
  const { type: name, config, credentials } = (body ?? {}) as Record<string, unknown>
  const type = typeof name === 'string' ? registry.get(name) : undefined
  const faults = type?.ownConfig === undefined ? configFormFaults(config, { isPatch: false }) : []
  if (type === undefined) {
    // What is no string is told by the schema.
    if (typeof name === 'string') faults.unshift(`type must be one of ${namesOf(registry)}`)
    return faults
  }
  if (faults.length > 0 || !isGivenFields(credentials)) return faults
  return validateSettings(type, {
    config: asText(isGivenFields(config) ? (config ?? {}) : {}),
    credentials: asText(credentials ?? {}),
  })
}

function namesOf(registry: Registry): string {
  return registry
    .list()
    .map((each) => each.document.type)
    .join(', ')
}

/** Of the caller's clock, which may be ahead of ours when it says "now". */
const CLOCK_TOLERANCE_MS = 60_000

function disabledAtFaults(body: unknown): string[] {
  const { disabled_at: given } = (body ?? {}) as Record<string, unknown>
  if (typeof given !== 'string') return []
  const timeMs = parseRfc3339(given)
  if (timeMs === null) return ['disabled_at must be a time of RFC 3339']
  return timeMs > Date.now() + CLOCK_TOLERANCE_MS ? ['disabled_at must not be in the future'] : []
}
