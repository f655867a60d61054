import type { FuzzCaller } from './fuzz-request.ts'

/** What stands in a path where a parameter should, as it is sent. */
export const ODD_PARAMETERS: readonly string[] = [
  '%00',
  '%ff',
  '%',
  '%2',
  '%zz',
  '%2F',
  '%20',
  '%27',
  '%ed%a0%80',
  '%f0%9f%92%a5',
  '%2e%2e',
  '..',
  '.',
  '*',
  '~',
  '@',
  ':id',
  ';a=b',
  '__proto__',
  'constructor',
  'x'.repeat(129),
  'x'.repeat(4000),
]

/** What is added to a query, as it is sent. */
export const ODD_QUERIES: readonly string[] = [
  '%',
  '=',
  '&&&',
  '%ff=%ff',
  'colour=red',
  '__proto__=1',
  'topic[__proto__]=1',
  'topic[]=a&topic[7]=b',
  `topic=${'x'.repeat(300)}`,
  'limit=1&limit=2',
  'limit=0',
  'limit=1e9',
  'limit=9999999999999999999',
  'limit=%00',
  'next=%00',
  'next=W10',
  'next=WzEsImV2ZW50cyJd',
  'next=x&prev=y',
  'time[]=1',
  'time[lt]=2026-02-30',
  'time[gte]=0000-01-01T00:00:00Z',
  'time[gte]=9999-12-31T23:59:59-23:59',
  'tenant_id=%00',
  'include=event,destination,response_data',
  'include=everything',
  'status=nothing',
  'order_by=id',
]

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']

/** Those besides the admin. */
export const CALLERS: readonly FuzzCaller[] = ['tenant', 'tenant', 'garbage', 'nobody']

/** Headers in place of the usual ones. */
export const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': '' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/merge-patch+json' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br' },
  { 'x-request-id': 'a b' },
  { 'x-request-id': 'x'.repeat(200) },
  { 'x-http-method-override': 'DELETE' },
  { accept: 'text/html' },
]
