import { type Static, type TOptional, type TString, Type } from 'typebox'
import type { ListPosition, Page, PageRequest } from '@postrider/store'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { validationError } from './errors.ts'
import { nullable } from './schemas.ts'

const DEFAULT_LIMIT = 100

const cursorFrom = (side: string): TOptional<TString> =>
  Type.Optional(
    Type.String({
      maxLength: 1024,
      description: `The page ${side} another one: the value that its \`pagination\` gave. Not with the other.`,
    }),
  )

/** The query parameters of every list that comes in pages; to be spread into its own. */
export const PageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: DEFAULT_LIMIT,
      description: 'How many there are in a page, at most.',
    }),
  ),
  next: cursorFrom('after'),
  prev: cursorFrom('before'),
  dir: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      default: 'desc',
      description: 'The newest first (`desc`) or the oldest first.',
    }),
  ),
}

interface PageQuery {
  readonly limit?: number
  readonly next?: string
  readonly prev?: string
  readonly dir?: 'asc' | 'desc'
}

/** How a page lies in its list, in answers. */
export const Pagination = Type.Object(
  {
    order_by: Type.String(),
    dir: Type.Enum(['asc', 'desc']),
    limit: Type.Integer(),
    next: nullable(Type.String({ description: 'Null: this is the last page.' })),
    prev: nullable(Type.String({ description: 'Null: this is the first page.' })),
  },
  {
    title: 'Pagination',
    additionalProperties: false,
    examples: [{ order_by: 'time', dir: 'desc', limit: 100, next: 'WzEsImV2ZW50cyJd', prev: null }],
  },
)

/**
 * The page that a query asks for.
 *
 * @param list - names the list in its cursors: those of others are refused
 * @throws {ApiError} validation_error
 */
export function pageRequestOf(list: string, query: PageQuery): PageRequest {
  const { limit = DEFAULT_LIMIT, dir = 'desc', next, prev } = query
  if (next !== undefined && prev !== undefined) {
    throw validationError(['next must not be given together with prev'])
  }
  const text = next ?? prev
  if (text === undefined) return { limit, dir, from: null }
  const walk = next === undefined ? 'prev' : 'next'
  const position = decodeCursor(tagOf(list, dir), text)
  if (position === null) {
    throw validationError([`${walk} is not a cursor of this list in this direction`])
  }
  return { limit, dir, from: { walk, position } }
}

export function paginationOf(
  list: string,
  { limit, dir }: PageRequest,
  page: Page<unknown>,
  orderBy = 'time',
): Static<typeof Pagination> {
  const cursor = (position: ListPosition | null): string | null =>
    position === null ? null : encodeCursor(tagOf(list, dir), position)
  return { order_by: orderBy, dir, limit, next: cursor(page.next), prev: cursor(page.prev) }
}

/** A cursor walked the other way round would lead back to where it came from. */
function tagOf(list: string, dir: 'asc' | 'desc'): string {
  return `${list} ${dir}`
}
