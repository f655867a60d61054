import { Type } from 'typebox'
import { parseRfc3339, timeFaults } from '@postrider/common'
import { rotateSigningKeys } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { signingKeysNotFound, tenantNotFound } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { TenantParams } from '../http/schemas.ts'
import { SigningKeysView, signingKeysView } from './signing-key-view.ts'
import { makesKeys } from './signs.ts'

const Body = Type.Object(
  {
    previous_key_invalid_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When the keys before the new one stop signing, unless they stop sooner; now or past: at once. Default: the current key in 24 hours.',
      }),
    ),
  },
  {
    title: 'SigningKeyRotation',
    additionalProperties: false,
    examples: [{ previous_key_invalid_at: '2026-11-22T11:00:00.000Z' }],
  },
)

/** Rotates the keys of a tenant and tells the deliverers, who are done with it within 5 s anyway. */
export function rotateSigningKeysRoute({ store, state, config }: ApiContext): Route {
  return defineRoute({
    method: 'POST',
    path: '/tenants/:tenant_id/signing-keys/rotate',
    access: 'admin',
    operationId: 'rotateSigningKeys',
    summary: 'Give a tenant a new signing key',
    description:
      'The new key signs at once, and the one before it goes on signing beside it for 24 hours, or until `previous_key_invalid_at`; at most five keys sign. Receivers may keep the published set for an hour: a window that is shorter makes those fail that do not get it anew when they have no key for a signature.',
    tag: 'Tenants',
    params: TenantParams,
    body: Body,
    isBodyOptional: true,
    responses: { 200: SigningKeysView },
    errors: ['tenant_not_found', 'signing_keys_not_found'],
    check: (body) => {
      const { previous_key_invalid_at: time } = Object(body) as {
        previous_key_invalid_at?: unknown
      }
      return timeFaults('previous_key_invalid_at', time)
    },
    handle: async ({ params: { tenant_id: tenantId }, body }) => {
      const time = body?.previous_key_invalid_at
      const previousInvalidAtMs = time === undefined ? null : parseRfc3339(time)
      const answer = await rotateSigningKeys(store, {
        tenantId,
        makesMissing: makesKeys(config),
        ...(previousInvalidAtMs === null ? {} : { previousInvalidAtMs }),
      })
      switch (answer.kind) {
        case 'tenant_not_found':
          throw tenantNotFound(tenantId)
        case 'no_keys':
          throw signingKeysNotFound(tenantId)
        case 'rotated':
          await state.announce(answer.destinationUids.map((destinationUid) => ({ destinationUid })))
          return { status: 200, body: signingKeysView(answer.keys) }
      }
    },
  })
}
