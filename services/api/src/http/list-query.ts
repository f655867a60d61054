import { type Static, Type } from 'typebox'
import { parseRfc3339 } from '@postrider/common'
import type { ListPosition, Page, PageRequest, TimeBound } from '@postrider/store'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { validationError } from './errors.ts'
import { JsonText } from './json-text.ts'
import { nullable } from './schemas.ts'

const Cursor = Type.Optional(Type.String({ maxLength: 1024 }))

const TIME_RULE = 'must be a time of RFC 3339, or a day such as 2026-11-21'

const Instant = Type.Optional(
  Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d(?:[Tt].+)?$', 'x-rule': TIME_RULE }),
)

/** A filter that may be repeated: any of its values will do. */
export const AnyOf = Type.Optional(Type.Array(Type.String({ maxLength: 255 })))

const Dir = Type.Union([Type.Literal('asc'), Type.Literal('desc')])

/** The parameters that the lists of events and attempts share (API.md section 7). */
export const LIST_PARAMETERS = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  next: Cursor,
  prev: Cursor,
  'time[gte]': Instant,
  'time[gt]': Instant,
  'time[lte]': Instant,
  'time[lt]': Instant,
  order_by: Type.Optional(Type.Literal('time')),
  dir: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'desc' })),
}

const ListQuery = Type.Object(LIST_PARAMETERS)

export const Pagination = Type.Object(
  {
    order_by: Type.Literal('time'),
    dir: Dir,
    limit: Type.Integer(),
    next: nullable(Type.String()),
    prev: nullable(Type.String()),
  },
  { title: 'Pagination', additionalProperties: false },
)

/** What a caller wants to see of a list. */
export interface ListRequest {
  readonly page: PageRequest
  readonly bounds: readonly TimeBound[]
}

/**
 * Reads the shared parameters.
 *
 * @param list - names the list; a cursor of another one is refused
 * @throws {ApiError} validation_error, for what the schema cannot say
 */
export function readListQuery(list: string, query: Static<typeof ListQuery>): ListRequest {
  const faults: string[] = []
  const { limit = 100, dir = 'desc' } = query
  const bounds = readBounds(query, faults)
  const from = readCursor(`${list} ${dir}`, query, faults)
  if (faults.length > 0) throw validationError(faults)
  return { page: { limit, dir, from }, bounds }
}

/** The answer to a list: texts of JSON, so that the data of events stays as it was published. */
export function listAnswer(
  list: string,
  { page: { limit, dir } }: ListRequest,
  models: readonly string[],
  { next, prev }: Page<unknown>,
): JsonText {
  const cursor = (position: ListPosition | null): string | null =>
    position === null ? null : toCursor(`${list} ${dir}`, position)
  const pagination: Static<typeof Pagination> = {
    order_by: 'time',
    dir,
    limit,
    next: cursor(next),
    prev: cursor(prev),
  }
  return new JsonText(
    `{"models":[${models.join(',')}],"pagination":${JSON.stringify(pagination)}}`,
  )
}

function readBounds(query: Static<typeof ListQuery>, faults: string[]): TimeBound[] {
  const bounds: TimeBound[] = []
  for (const operator of ['gte', 'gt', 'lte', 'lt'] as const) {
    const text = query[`time[${operator}]`]
    if (text === undefined) continue
    const ms = parseRfc3339(text.length === DAY_LENGTH ? `${text}T00:00:00Z` : text)
    if (ms === null) faults.push(`time[${operator}] ${TIME_RULE}`)
    else bounds.push({ operator, time: new Date(ms) })
  }
  return bounds
}

const DAY_LENGTH = '2026-11-21'.length

/** The mark of a cursor whose page holds the row at its place, too. */
const INCLUSIVE = '='

function readCursor(
  list: string,
  { next, prev }: Static<typeof ListQuery>,
  faults: string[],
): PageRequest['from'] {
  if (next !== undefined && prev !== undefined) {
    faults.push('next must not be given together with prev')
    return null
  }
  const walk = prev === undefined ? 'next' : 'prev'
  const text = next ?? prev
  if (text === undefined) return null
  const place = decodeCursor(list, text)
  if (place === null) {
    faults.push(`${walk} must be a cursor that this list gave, in the same order`)
    return null
  }
  const { time, uid, mark } = place
  return { walk, position: { time, uid, inclusive: mark === INCLUSIVE } }
}

function toCursor(list: string, { time, uid, inclusive }: ListPosition): string {
  return encodeCursor(list, { time, uid, mark: inclusive ? INCLUSIVE : '' })
}
