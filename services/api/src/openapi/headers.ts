import type { Header, Reference } from './model.ts'

/** The headers that answers of ours carry besides HTTP's own. */
export const HEADERS: Readonly<Record<string, Header>> = {
  'x-request-id': {
    description: 'The id of the request: the one that it came with, or a new one.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'www-authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  'retry-after': {
    description: 'How many seconds to wait.',
    required: true,
    schema: { type: 'string', pattern: '^[1-9]\\d*$' },
  },
  deprecation: {
    description: 'The operation is deprecated.',
    required: true,
    schema: { type: 'string', const: 'true' },
  },
  link: {
    description: 'What to use instead.',
    required: true,
    schema: { type: 'string', pattern: '^</.+>; rel="successor-version"$' },
  },
  'cache-control': {
    description: 'Who may keep the answer, and for how many seconds.',
    required: true,
    schema: { type: 'string', pattern: '^public, max-age=\\d+$' },
  },
  etag: {
    description:
      'What to ask with in `If-None-Match`, to be answered only if there is something new.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
  },
}

/** The headers of an error answer with this status; those of every answer at least. */
export function headersOf(status: number): Record<string, Reference> {
  switch (status) {
    case 401:
      return references('x-request-id', 'www-authenticate')
    case 503:
      return references('x-request-id', 'retry-after')
    default:
      return references('x-request-id')
  }
}

export function references(...names: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
