import { isDeepStrictEqual } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  BROKEN_FAULTS,
  type BrokenFault,
  type BrokenReceiver,
  type Receiver,
  startBrokenReceiver,
  startReceiver,
  waitFor,
} from '@postrider/testkit'
import { EXPECTED_CODES } from './expected-codes.ts'
import { sendRequest, webhookDestination, webhookSender } from './factories.ts'

const SENDS = 10_000
const AT_A_TIME = 500
const TENANTS = 50
const TIMEOUT_MS = 1000
const MAX_GROWTH_BYTES = 10 * 1024 ** 2

/** Faults whose receivers send as fast as they can: a few of each at a time are a load test of their own. */
const FLOODS: ReadonlySet<string> = new Set(
  BROKEN_FAULTS.filter((fault) => fault.startsWith('endless')),
)

function tenantUid(i: number): string {
  return `tenant-${i % TENANTS}`
}

/** Every fault in turn, floods in every eighth turn only. */
function faultOf(i: number): BrokenFault {
  const turn = Math.floor(i / BROKEN_FAULTS.length)
  const fault = BROKEN_FAULTS[i % BROKEN_FAULTS.length] ?? 'never_answers'
  return FLOODS.has(fault) && turn % 8 !== 0 ? 'never_answers' : fault
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** What keeps the process alive, by kind. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

describe('ten thousand webhooks to broken receivers', () => {
  const broken = new Map<BrokenFault, BrokenReceiver>()
  let healthy: Receiver

  beforeAll(async () => {
    healthy = await startReceiver()
    for (const fault of BROKEN_FAULTS) broken.set(fault, await startBrokenReceiver(fault))
  })

  afterAll(async () => {
    await Promise.all([...broken.values()].map((receiver) => receiver.stop()))
    await healthy.stop()
  })

  /** Connections that are kept are closed when they are idle; attempts to connect have an end. */
  async function settle(): Promise<void> {
    const receivers = [...broken.values(), healthy]
    await waitFor(() => receivers.every(({ openConnections }) => openConnections === 0), {
      what: 'the end of all connections',
      deadlineMs: 15_000,
    })
  }

  it('end in time, leave nothing behind, and hold up nobody', async () => {
    const sender = webhookSender({ timeoutMs: TIMEOUT_MS })
    const wrong = new Map<string, number>()
    let slowestMs = 0
    const rest = new AbortController()

    const toBroken = async (i: number): Promise<void> => {
      const fault = faultOf(i)
      const destination = webhookDestination(broken.get(fault)?.url ?? '', {
        tenantUid: tenantUid(i),
      })
      const startMs = performance.now()
      const { code } = await sender.send(sendRequest(destination, { timeoutMs: TIMEOUT_MS }))
      slowestMs = Math.max(slowestMs, performance.now() - startMs)
      // Under this load any answer may be late.
      if (code === EXPECTED_CODES[fault] || code === 'timeout') return
      const what = `${fault}: ${code}`
      wrong.set(what, (wrong.get(what) ?? 0) + 1)
    }
    const sendAll = async (count: number): Promise<void> => {
      let next = 0
      const worker = async (): Promise<void> => {
        while (next < count) await toBroken(next++)
      }
      await Promise.all(Array.from({ length: AT_A_TIME }, worker))
    }
    /** One after the other for as long as the others are sent. */
    const toHealthy = async (): Promise<readonly string[]> => {
      const codes: string[] = []
      while (!rest.signal.aborted) {
        const destination = webhookDestination(healthy.url, { tenantUid: tenantUid(codes.length) })
        codes.push((await sender.send(sendRequest(destination))).code)
      }
      return codes
    }

    // Once round, so that what is made once is there before the count begins.
    await sendAll(AT_A_TIME)
    await settle()
    const before = { heap: heapBytes(), resources: resources() }

    const healthyCodes = toHealthy()
    await sendAll(SENDS).finally(() => rest.abort())
    const codes = await healthyCodes
    await settle()
    const growth = heapBytes() - before.heap
    // A timer of undici's, which all connections share, goes on for a moment.
    const isAtRest = (): boolean => isDeepStrictEqual(resources(), before.resources)
    await waitFor(isAtRest, { what: 'rest', deadlineMs: 15_000 }).catch(() => undefined)

    expect(Object.fromEntries(wrong)).toEqual({})
    expect(slowestMs).toBeLessThan(TIMEOUT_MS + 2000)
    expect(codes.length).toBeGreaterThan(100)
    expect(codes.filter((code) => code !== '200')).toEqual([])
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
    expect(resources()).toEqual(before.resources)
    await sender.stop()
  }, 120_000)
})
