import { createTestDatabase, silentLog } from '@postrider/testkit'
import {
  type AttemptFilter,
  type EventFilter,
  openStore,
  type Page,
  type PageRequest,
  type Store,
} from '../../src/index.ts'

/** A store on a database of its own, for one test file. */
export async function openTestStore(): Promise<Store & AsyncDisposable> {
  const database = await createTestDatabase()
  const store = openStore({
    url: database.url,
    applicationName: 'tests',
    encryptionSecrets: ['a secret that is long enough for a test'],
    log: silentLog,
  })
  return {
    ...store,
    [Symbol.asyncDispose]: async () => {
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** No condition at all. */
export const ANY_EVENT: EventFilter = {
  tenantIds: null,
  destinationIds: null,
  deliveryStatus: null,
  topics: null,
  ids: null,
  status: null,
  bounds: [],
}

/** No condition at all. */
export const ANY_ATTEMPT: AttemptFilter = {
  tenantIds: null,
  destinationIds: null,
  eventIds: null,
  uids: null,
  topics: null,
  status: null,
  bounds: [],
}

type ReadPage<T> = (request: PageRequest) => Promise<Page<T>>

/** Walks `next` from the beginning to the end; answers with the pages. `between` runs after each. */
export async function walkForward<T>(
  read: ReadPage<T>,
  order: Pick<PageRequest, 'limit' | 'dir'>,
  between: (page: Page<T>) => Promise<void> = () => Promise.resolve(),
): Promise<Page<T>[]> {
  const pages: Page<T>[] = []
  let from: PageRequest['from'] = null
  do {
    const page = await read({ ...order, from })
    pages.push(page)
    from = page.next === null ? null : { walk: 'next', position: page.next }
    await between(page)
  } while (from !== null)
  return pages
}

/** Walks `prev` from a page to the beginning; answers with the pages before it, in the order of the list. */
export async function walkBack<T>(
  read: ReadPage<T>,
  order: Pick<PageRequest, 'limit' | 'dir'>,
  start: Page<T> | undefined,
): Promise<Page<T>[]> {
  const pages: Page<T>[] = []
  let position = start?.prev ?? null
  while (position !== null) {
    const page = await read({ ...order, from: { walk: 'prev', position } })
    pages.unshift(page)
    position = page.prev
  }
  return pages
}
