import type { DeliveryDestination } from '@postrider/common'
import { createHold } from '@postrider/testkit'
import { CredentialsFaultError, DestinationCache } from './destination-cache.ts'

function destination(uid: string, version = 1): DeliveryDestination {
  return {
    uid,
    id: `des_${uid}`,
    tenantUid: 'tenant',
    tenantId: 'acme',
    type: 'webhook',
    version,
    config: { url: `https://example.com/${version}` },
    credentials: {},
    deliveryMetadata: {},
    topics: ['*'],
    isDisabled: false,
  }
}

/** A Postgres for the cache: rows that a test changes, answers that it may hold back, a clock that it moves. */
class Source {
  nowMs = 1_000_000
  readonly rows = new Map<string, DeliveryDestination>()
  readonly undecryptable = new Set<string>()
  readonly reads: string[][] = []
  versionReads = 0
  /** Answers wait for it; what they say was read before. */
  slowness: Promise<unknown> = Promise.resolve()

  put(uid: string, version = 1): void {
    this.rows.set(uid, destination(uid, version))
  }

  open(): DestinationCache {
    return new DestinationCache({
      nowMs: () => this.nowMs,
      read: async (uids) => {
        this.reads.push([...uids])
        const undecryptable = uids.filter((uid) => this.undecryptable.has(uid))
        const destinations = uids
          .filter((uid) => !this.undecryptable.has(uid))
          .flatMap((uid) => this.rows.get(uid) ?? [])
        await this.slowness
        return { destinations, undecryptable }
      },
      readVersions: async (uids) => {
        this.versionReads++
        const versions = uids.flatMap((uid): [string, number][] => {
          const row = this.rows.get(uid)
          return row === undefined ? [] : [[uid, row.version]]
        })
        await this.slowness
        return new Map(versions)
      },
    })
  }
}

/** Lets what is under way ask its source. */
async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve))
  })
}

describe('the destination cache', () => {
  let source: Source
  let cache: DestinationCache

  beforeEach(() => {
    source = new Source()
    source.put('a')
    cache = source.open()
  })

  it('knows nothing before it has read', async () => {
    expect(cache.peek('a')).toBeUndefined()
    expect(await cache.get('a')).toMatchObject({ uid: 'a', version: 1 })
    expect(cache.peek('a')).toMatchObject({ uid: 'a', version: 1 })
  })

  it('says null of a destination that is not there, and remembers it', async () => {
    expect(await cache.get('gone')).toBeNull()
    expect(cache.peek('gone')).toBeNull()
    expect(source.reads).toHaveLength(1)
  })

  it('hands out one object for a version, so that what hangs on it stays', async () => {
    const first = await cache.get('a')
    source.nowMs += 1000
    await cache.refresh()
    expect(cache.peek('a')).toBe(first)
  })

  describe('freshness', () => {
    it('lasts 3 s and not longer', async () => {
      await cache.get('a')
      source.nowMs += 3000
      expect(cache.peek('a')).toBeDefined()
      source.nowMs += 1
      expect(cache.peek('a')).toBeUndefined()
    })

    it('counts from the begin of the read, not from its answer', async () => {
      const hold = createHold()
      source.slowness = hold.released
      const got = cache.get('a')
      await settled()
      source.nowMs += 2500
      hold.release()
      await got
      source.nowMs += 500
      expect(cache.peek('a')).toBeDefined()
      source.nowMs += 1
      expect(cache.peek('a')).toBeUndefined()
    })

    it('reads again when the answer took longer than that', async () => {
      const hold = createHold()
      source.slowness = hold.released
      const got = cache.get('a')
      await settled()
      source.put('a', 2)
      source.nowMs += 3001
      hold.release()
      expect(await got).toMatchObject({ version: 2 })
      expect(source.reads).toHaveLength(2)
    })

    it('is renewed by a refresh that finds the same version, from the begin of that refresh', async () => {
      await cache.get('a')
      source.nowMs += 2000
      const hold = createHold()
      source.slowness = hold.released
      const refreshed = cache.refresh()
      source.nowMs += 900
      hold.release()
      await refreshed
      source.nowMs += 2100
      expect(cache.peek('a')).toBeDefined()
      source.nowMs += 1
      expect(cache.peek('a')).toBeUndefined()
      expect(source.reads).toHaveLength(1)
    })

    it('keeps for a deleted destination, too, as long as it is not there', async () => {
      await cache.get('gone')
      source.nowMs += 2000
      await cache.refresh()
      source.nowMs += 2000
      expect(cache.peek('gone')).toBeNull()
    })

    it('ends with a refresh that finds another version', async () => {
      await cache.get('a')
      source.put('a', 2)
      source.nowMs += 1000
      await cache.refresh()
      expect(cache.peek('a')).toBeUndefined()
      expect(await cache.get('a')).toMatchObject({ version: 2 })
    })

    it('ends with a refresh that does not find it any more', async () => {
      await cache.get('a')
      source.rows.delete('a')
      source.nowMs += 1000
      await cache.refresh()
      expect(cache.peek('a')).toBeUndefined()
      expect(await cache.get('a')).toBeNull()
    })

    it('is not ended by a refresh that began before it was read', async () => {
      await cache.get('a')
      source.nowMs += 1000
      const hold = createHold()
      source.slowness = hold.released
      const refreshed = cache.refresh()
      source.slowness = Promise.resolve()
      source.put('a', 2)
      source.nowMs += 10
      cache.invalidate('a')
      source.nowMs += 10
      await cache.get('a')
      hold.release()
      await refreshed
      expect(cache.peek('a')).toMatchObject({ version: 2 })
    })

    it('is not given by a refresh that did not ask for it', async () => {
      await cache.get('a')
      source.nowMs += 1000
      const hold = createHold()
      source.slowness = hold.released
      const first = cache.get('gone')
      await settled()
      source.nowMs += 1000
      const refreshed = cache.refresh()
      hold.release()
      await Promise.all([first, refreshed])
      source.nowMs += 2001
      expect(cache.peek('gone')).toBeUndefined()
    })

    it('lasts at most 3 s while the refreshes fail', async () => {
      const failing = new DestinationCache({
        nowMs: () => source.nowMs,
        read: () => Promise.resolve({ destinations: [destination('a')], undecryptable: [] }),
        readVersions: () => Promise.reject(new Error('Connection terminated')),
      })
      await failing.get('a')
      source.nowMs += 3001
      await expect(failing.refresh()).rejects.toThrow('Connection terminated')
      expect(failing.peek('a')).toBeUndefined()
    })
  })

  describe('a change that somebody announces', () => {
    it('is read before the next use', async () => {
      await cache.get('a')
      source.put('a', 2)
      source.nowMs += 1
      cache.invalidate('a')
      expect(cache.peek('a')).toBeUndefined()
      source.nowMs += 1
      expect(await cache.get('a')).toMatchObject({ version: 2 })
    })

    it('is not covered up by a refresh that began before it', async () => {
      await cache.get('a')
      const hold = createHold()
      source.slowness = hold.released
      const refreshed = cache.refresh()
      source.put('a', 2)
      source.nowMs += 1
      cache.invalidate('a')
      hold.release()
      await refreshed
      expect(cache.peek('a')).toBeUndefined()
    })

    it.each([
      ['the first read', 0],
      ['a later read', 3001],
    ])('is found although %s of it was under way', async (_, ageMs) => {
      if (ageMs > 0) await cache.get('a')
      source.nowMs += ageMs
      const hold = createHold()
      source.slowness = hold.released
      const got = cache.get('a')
      await settled()
      source.put('a', 2)
      source.nowMs += 1
      cache.invalidate('a')
      source.nowMs += 1
      hold.release()
      expect(await got).toMatchObject({ version: 2 })
    })

    it('of a destination that is not in use makes no read', async () => {
      cache.invalidate('a')
      await cache.refresh()
      expect(source.versionReads).toBe(0)
    })
  })

  describe('credentials that cannot be decrypted', () => {
    it('fail those who ask for that destination, and nobody who asked along with them', async () => {
      source.put('b')
      source.undecryptable.add('b')
      const [a, b] = await Promise.allSettled([cache.get('a'), cache.get('b')])
      expect(a).toMatchObject({ status: 'fulfilled', value: { uid: 'a' } })
      expect(b).toMatchObject({ status: 'rejected', reason: expect.any(CredentialsFaultError) })
      expect(source.reads).toEqual([['a', 'b']])
    })

    it('are not taken for a deleted destination, and are asked for anew', async () => {
      source.put('b')
      source.undecryptable.add('b')
      await expect(cache.get('b')).rejects.toThrow(CredentialsFaultError)
      expect(cache.peek('b')).toBeUndefined()
      source.undecryptable.clear()
      expect(await cache.get('b')).toMatchObject({ uid: 'b' })
    })
  })

  it('makes one read of all that is asked for together, and asks once for each', async () => {
    source.put('b')
    const got = await Promise.all(['a', 'b', 'a', 'gone'].map((uid) => cache.get(uid)))
    expect(got.map((each) => each?.uid ?? null)).toEqual(['a', 'b', 'a', null])
    expect(source.reads).toEqual([['a', 'b', 'gone']])
  })

  it('lets those who ask during a read go along with it', async () => {
    const hold = createHold()
    source.slowness = hold.released
    const first = cache.get('a')
    await settled()
    const second = cache.get('a')
    hold.release()
    expect(await second).toBe(await first)
    expect(source.reads).toEqual([['a']])
  })

  it('passes a failed read on to those who asked, and reads anew for the next', async () => {
    let fails = true
    const unlucky = new DestinationCache({
      read: () =>
        fails
          ? Promise.reject(new Error('refused'))
          : Promise.resolve({ destinations: [destination('a')], undecryptable: [] }),
      readVersions: () => Promise.resolve(new Map()),
    })
    await expect(unlucky.get('a')).rejects.toThrow('refused')
    fails = false
    expect(await unlucky.get('a')).toMatchObject({ uid: 'a' })
  })

  it('forgets what was not used for a minute, and confirms what was', async () => {
    source.put('b')
    await Promise.all([cache.get('a'), cache.get('b')])
    for (let i = 0; i < 60; i++) {
      source.nowMs += 1000
      await cache.refresh()
      expect(cache.peek('b')).toBeDefined()
    }
    source.nowMs += 1000
    await cache.refresh()
    expect(cache.peek('a')).toBeUndefined()
    expect(cache.peek('b')).toBeDefined()
  })

  it('asks for nothing when nothing is in use', async () => {
    await cache.get('a')
    source.nowMs += 60_001
    await cache.refresh()
    expect(source.versionReads).toBe(0)
  })
})
