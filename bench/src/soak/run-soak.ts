import { SoakApi } from './api.ts'
import { Ledger } from './ledger.ts'
import type { SoakOptions } from './options.ts'
import { type OwnService, startOwnService } from './own-service.ts'
import { type PlannedDestination, planDestinations } from './plan.ts'
import { startPublishing } from './publish.ts'
import { Random } from './random.ts'
import { type Account, readBack } from './read-back.ts'
import { judgeAll, type SoakResult } from './result.ts'
import { startTypeServers } from './servers/type-servers.ts'
import type { TypeServer } from './type-server.ts'

const PROGRESS_MS = 5000

export interface SoakRun {
  readonly options: SoakOptions
  /** Tells a fact, in one line. */
  readonly say: (line: string) => void
  /** Gives up; everything that was started ends all the same. */
  readonly signal: AbortSignal
}

/**
 * Delivers to destinations of all types at once while a tenth of their servers fail, and checks what
 * Postrider says of every delivery against what the servers saw. Leaves nothing running.
 *
 * @throws When it cannot be carried through; not when time is up, of which the result tells
 */
export async function runSoak({ options, say, signal: given }: SoakRun): Promise<SoakResult> {
  const limit = AbortSignal.timeout(options.limitMs)
  const signal = AbortSignal.any([given, limit])
  const startedAt = performance.now()
  const ledger = new Ledger()
  const servers: TypeServer[] = []
  let service: OwnService | null = null
  try {
    say('starting the servers and the service')
    await startTypeServers(ledger, servers)
    const env: Record<string, string> = Object.assign({}, ...servers.map((server) => server.env))
    service = await startOwnService(env, signal)
    const api = new SoakApi({ ...service, signal })
    const random = new Random(options.seed)
    const destinations = planDestinations(
      servers.map(({ type }) => type),
      options,
    )
    say(`making ${destinations.length} destinations`)
    await makeDestinations(api, destinations, servers, random)
    const judged = await play({ api, destinations, servers, options, ledger, say, signal, limit })
    return {
      ...judged,
      problems: [...judged.problems, ...service.errors.map((line) => `the log says: ${line}`)],
      seconds: (performance.now() - startedAt) / 1000,
    }
  } finally {
    await service?.stop()
    for (const server of servers) await server.stop()
  }
}

async function makeDestinations(
  api: SoakApi,
  destinations: readonly PlannedDestination[],
  servers: readonly TypeServer[],
  random: Random,
): Promise<void> {
  const byType = new Map(servers.map((server) => [server.type, server]))
  for (const tenantId of new Set(destinations.map((each) => each.tenantId))) {
    await api.createTenant(tenantId)
  }
  for (const destination of destinations) {
    const { id, type, isIll } = destination
    const settings = await byType.get(type)?.add({ id, isIll, random: random.fork() })
    await api.createDestination(destination, settings ?? {})
  }
}

async function play(stage: {
  readonly api: SoakApi
  readonly destinations: readonly PlannedDestination[]
  readonly servers: readonly TypeServer[]
  readonly options: SoakOptions
  readonly ledger: Ledger
  readonly say: (line: string) => void
  readonly signal: AbortSignal
  readonly limit: AbortSignal
}): Promise<Omit<SoakResult, 'seconds'>> {
  const { api, destinations, servers, options, ledger, say, signal, limit } = stage
  const problems: string[] = []
  const publishing = startPublishing({ api, destinations, options, ledger, signal })
  const { expected } = publishing
  const account: Account = new Map()
  const tell = (): void => {
    const wanted = destinations.reduce((sum, { id }) => sum + (expected.get(id)?.size ?? 0), 0)
    const had = destinations.reduce((sum, { id }) => sum + ledger.had(id), 0)
    say(`published ${publishing.published} of ${options.events}; servers have ${had} of ${wanted}`)
  }
  const progress = setInterval(tell, PROGRESS_MS)
  try {
    await publishing.done
    say('everything is published; waiting until all deliveries have ended')
    await readBack(api, destinations, expected, { account, signal })
  } catch (error) {
    if (signal.reason !== limit.reason || !limit.aborted) throw error
    problems.push('time was up before everything had ended')
  } finally {
    clearInterval(progress)
  }
  for (const server of servers) await server.drain?.()
  const seesTries = (type: string): boolean =>
    servers.some((server) => server.type === type && server.seesTries)
  const judged = judgeAll({ destinations, expected, account, ledger, seesTries })
  return {
    rows: judged.rows,
    problems: [...problems, ...publishing.problems, ...judged.problems],
  }
}
