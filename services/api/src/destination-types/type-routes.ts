import { Type } from 'typebox'
import type { TypeDocument } from '@postrider/destinations'
import type { ApiContext } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { TenantParams } from '../http/schemas.ts'
import { requireTenant } from '../http/tenant-scope.ts'
import { TypeView } from './type-view.ts'

const TypeParams = Type.Object({
  type: Type.String({ description: 'The name of a type.', examples: ['webhook'] }),
})

/** The types are the same for everybody; under a tenant's path they are there for its own clients. */
export function destinationTypeRoutes({ registry, store }: ApiContext): readonly Route[] {
  const listed = registry.list().map(({ document }) => document)
  const named = (type: string): TypeDocument => {
    const document = registry.get(type)?.document
    if (document !== undefined) return document
    throw new ApiError('destination_type_not_found', `there is no destination type ${type}`)
  }
  const shared = { method: 'GET', access: 'tenant', tag: 'Destination types' } as const
  return [
    defineRoute({
      ...shared,
      path: '/destination-types',
      operationId: 'listDestinationTypes',
      summary: 'List the destination types and the fields of each',
      responses: { 200: Type.Array(TypeView) },
      handle: async () => ({ status: 200, body: listed }),
    }),
    defineRoute({
      ...shared,
      path: '/destination-types/:type',
      operationId: 'getDestinationType',
      summary: 'Get a destination type and its fields',
      params: TypeParams,
      responses: { 200: TypeView },
      errors: ['destination_type_not_found'],
      handle: async ({ params }) => ({ status: 200, body: named(params.type) }),
    }),
    defineRoute({
      ...shared,
      path: '/tenants/:tenant_id/destination-types',
      operationId: 'listTenantDestinationTypes',
      summary: 'List the destination types that a tenant can choose from',
      params: TenantParams,
      responses: { 200: Type.Array(TypeView) },
      errors: ['tenant_not_found'],
      handle: async ({ params }) => {
        await requireTenant(store, params.tenant_id)
        return { status: 200, body: listed }
      },
    }),
    defineRoute({
      ...shared,
      path: '/tenants/:tenant_id/destination-types/:type',
      operationId: 'getTenantDestinationType',
      summary: 'Get a destination type that a tenant can choose',
      params: Type.Object({ ...TenantParams.properties, ...TypeParams.properties }),
      responses: { 200: TypeView },
      errors: ['tenant_not_found', 'destination_type_not_found'],
      handle: async ({ params }) => {
        await requireTenant(store, params.tenant_id)
        return { status: 200, body: named(params.type) }
      },
    }),
  ]
}
