import { type Static, type TArray, type TOptional, type TString, Type } from 'typebox'
import { parseRfc3339 } from '@postrider/common'
import type { Page, PageRequest, TimeBound } from '@postrider/store'
import { validationError } from './errors.ts'
import { JsonText } from './json-text.ts'
import { PageParameters, paginationOf } from './pagination.ts'

const TIME_RULE = 'must be a time of RFC 3339, or a day such as 2026-11-21'

const instant = (bound: string): TOptional<TString> =>
  Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d(?:[Tt].+)?$',
      'x-rule': TIME_RULE,
      description: `${bound} this time: of RFC 3339, or a day (midnight UTC).`,
    }),
  )

/** A filter that may be repeated: any of its values will do. */
export const anyOf = (description: string): TOptional<TArray<TString>> =>
  Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { description }))

const TimeParameters = {
  'time[gte]': instant('From'),
  'time[gt]': instant('After'),
  'time[lte]': instant('Until'),
  'time[lt]': instant('Before'),
}

/** The parameters that the lists of events and attempts share (docs/api.md). */
export const ListParameters = {
  ...PageParameters,
  ...TimeParameters,
  order_by: Type.Optional(
    Type.Literal('time', { default: 'time', description: 'There is one order.' }),
  ),
}

const TimeQuery = Type.Object(TimeParameters)

/**
 * The bounds that a query sets on time.
 *
 * @throws {ApiError} validation_error, for days and hours that do not exist
 */
export function timeBoundsOf(query: Static<typeof TimeQuery>): TimeBound[] {
  const bounds: TimeBound[] = []
  const faults: string[] = []
  for (const operator of ['gte', 'gt', 'lte', 'lt'] as const) {
    const text = query[`time[${operator}]`]
    if (text === undefined) continue
    const ms = parseRfc3339(text.length === DAY_LENGTH ? `${text}T00:00:00Z` : text)
    if (ms === null) faults.push(`time[${operator}] ${TIME_RULE}`)
    else bounds.push({ operator, time: new Date(ms) })
  }
  if (faults.length > 0) throw validationError(faults)
  return bounds
}

const DAY_LENGTH = '2026-11-21'.length

/** The answer to a list, of models that are JSON text already. */
export function listAnswer(
  list: string,
  request: PageRequest,
  page: Page<unknown>,
  models: readonly string[],
): JsonText {
  const pagination = JSON.stringify(paginationOf(list, request, page))
  return new JsonText(`{"models":[${models.join(',')}],"pagination":${pagination}}`)
}
