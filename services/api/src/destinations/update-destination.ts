import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import type { StringMap } from '@postrider/common'
import type { Registry } from '@postrider/destinations'
import { type DestinationContent, getDestination, type StoredDestination } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { validationError } from '../http/errors.ts'
import { MAX_METADATA, metadataFaults, MetadataPatch } from '../http/metadata.ts'
import { type Caller, defineRoute, type Route } from '../http/route.ts'
import { DestinationParams, nullable } from '../http/schemas.ts'
import { applyChange } from './change.ts'
import {
  AnyConfig,
  asText,
  configFormFaults,
  contentFaults,
  Filter,
  filterOrNull,
  GivenFieldsPatch,
  topicList,
  Topics,
} from './destination-input.ts'
import { DestinationView, destinationView, typeOf } from './destination-view.ts'
import { applyPatch, settleSettings, verifyCredentials } from './settings.ts'

/** May come back as they were read, and not otherwise. */
const READ_ONLY = [
  'id',
  'tenant_id',
  'type',
  'target',
  'target_url',
  'disabled_at',
  'created_at',
  'updated_at',
] as const

const ReadOnly = Type.Optional(Type.Unknown({ description: 'Only as it was read, unchanged.' }))

const Body = Type.Object(
  {
    topics: Type.Optional(Topics),
    filter: Type.Optional(nullable(Filter)),
    config: Type.Optional(AnyConfig),
    credentials: Type.Optional(nullable(GivenFieldsPatch)),
    delivery_metadata: Type.Optional(nullable(MetadataPatch)),
    metadata: Type.Optional(nullable(MetadataPatch)),
    id: ReadOnly,
    tenant_id: ReadOnly,
    type: ReadOnly,
    target: ReadOnly,
    target_url: ReadOnly,
    disabled_at: ReadOnly,
    created_at: ReadOnly,
    updated_at: ReadOnly,
  },
  {
    title: 'DestinationPatch',
    additionalProperties: false,
    examples: [
      { topics: ['order.created', 'order.paid'], metadata: { team: 'billing', note: null } },
    ],
  },
)

type Body = Static<typeof Body>

/** A JSON merge patch (RFC 7396), applied under the row's lock: no change that runs beside it is lost. */
export function updateDestinationRoute(context: ApiContext): Route {
  const { config, registry } = context
  return defineRoute({
    method: 'PATCH',
    path: '/tenants/:tenant_id/destinations/:destination_id',
    access: 'tenant',
    operationId: 'updateDestination',
    summary: 'Change a destination by a JSON merge patch',
    description:
      'In `config`, `credentials`, `delivery_metadata` and `metadata` a null removes a key, and null in place of the map clears it; `topics` and `filter` are replaced. A masked credential that is sent back as it was read is kept. Changes that run side by side do not lose each other. `rotate_secret: "true"` in the credentials of a webhook makes a new secret, beside which the old one stays valid for 24 hours or until `previous_secret_invalid_at`.',
    tag: 'Destinations',
    params: DestinationParams,
    body: Body,
    responses: { 200: DestinationView },
    errors: ['tenant_not_found', 'destination_not_found'],
    check: (body) => contentFaults(body, config.api),
    handle: async ({ caller, params, body }) => {
      const learned = await learnedFrom(context, params, body)
      return {
        status: 200,
        body: await applyChange(context, params, (current, now) =>
          patched(current, body, { registry, caller, now, learned }),
        ),
      }
    },
  })
}

/** What new credentials are worth; asked before the row is locked, since it may take seconds. */
async function learnedFrom(
  { store, registry }: ApiContext,
  { tenant_id: tenantId, destination_id: id }: Static<typeof DestinationParams>,
  { credentials }: Body,
): Promise<StringMap> {
  const isAsked = registry.list().some((type) => type.verify !== undefined)
  if (!isAsked || credentials === undefined || credentials === null) return {}
  const found = await getDestination(store, { tenantId, id })
  // One that is missing is told by the change.
  if (found.kind !== 'found') return {}
  return verifyCredentials(typeOf(found.destination, registry), asText(credentials), tenantId)
}

interface Circumstances {
  readonly registry: Registry
  readonly caller: Caller
  readonly now: Date
  readonly learned: StringMap
}

/** The content after the patch. */
function patched(
  current: StoredDestination,
  body: Body,
  { registry, caller, now, learned }: Circumstances,
): DestinationContent {
  const nowMs = now.getTime()
  const type = typeOf(current, registry)
  const hasFields = type.ownConfig === undefined
  const deliveryMetadata = patchedMap(current.deliveryMetadata, body.delivery_metadata)
  const metadata = patchedMap(current.metadata, body.metadata)
  const faults = [
    ...(hasFields ? configFormFaults(body.config, { isPatch: true }) : []),
    ...readOnlyFaults(body, destinationView(current, registry, nowMs)),
    ...mergedMetadataFaults('delivery_metadata', deliveryMetadata),
    ...mergedMetadataFaults('metadata', metadata),
  ]
  if (faults.length > 0) throw validationError(faults)
  const settings =
    body.config === undefined && body.credentials === undefined
      ? current
      : settleSettings(type, {
          stored: current,
          // Its form has just been checked.
          config: hasFields ? patchedMap(current.config, body.config as MapPatch) : current.config,
          credentials: body.credentials === null ? null : asText(body.credentials ?? {}),
          caller,
          nowMs,
          learned,
        })
  return {
    topics: body.topics === undefined ? current.topics : topicList(body.topics),
    filter: body.filter === undefined ? current.filter : filterOrNull(body.filter),
    config: settings.config,
    credentials: settings.credentials,
    deliveryMetadata,
    metadata,
    disabledAt: current.disabledAt,
  }
}

type MapPatch = Readonly<Record<string, string | number | boolean | null>> | null | undefined

/** A null patch clears the map. */
function patchedMap(current: StringMap, patch: MapPatch): StringMap {
  return patch === null ? {} : applyPatch(current, asText(patch ?? {}))
}

function readOnlyFaults(body: Body, shown: Static<typeof DestinationView>): string[] {
  return READ_ONLY.filter(
    (name) => body[name] !== undefined && !isDeepStrictEqual(body[name], shown[name]),
  ).map((name) => `${name} cannot be changed`)
}

function mergedMetadataFaults(path: string, metadata: StringMap): string[] {
  const faults = metadataFaults(path, metadata)
  if (Object.keys(metadata).length > MAX_METADATA) {
    faults.push(`${path} must have at most ${MAX_METADATA} members`)
  }
  return faults
}
