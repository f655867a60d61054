import { Child } from '../child.ts'
import { median, printTable } from '../table.ts'
import type { Run, Side } from './sender.ts'

/**
 * `npm run bench:guard`: what the address guard costs a webhook, in CPU time of the process that sends:
 * the sender behind the guard as it is deployed, and behind one that lets everything through, in turns.
 *
 * The receiver is on loopback under a name, which the guard resolves and judges for every connection:
 * with connections that are kept, where the ratio should be at most 1.05, and with a new one for each
 * request, which is all the work that the guard can be given.
 */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const KEPT = Number(process.env['BENCH_GUARD_REQUESTS'] ?? 20_000)
/** Fewer: each takes up a port for a minute. */
const NEW = Number(process.env['BENCH_GUARD_CONNECTIONS'] ?? 2000)

const say = (line: string): void => console.error(`bench: ${line}`)

const receiver = new Child('receiver')
const sender = new Child('guard/sender')
try {
  const origin = `http://localhost:${await receiver.ask<number>('start')}`
  const kept = await compare('connections that are kept', { url: `${origin}/`, count: KEPT })
  const closed = await compare('a new connection each', { url: `${origin}/close`, count: NEW })
  printTable(`CPU µs per request, medians of ${ROUNDS} rounds`, [...kept, ...closed])
} finally {
  receiver.end()
  sender.end()
}

async function compare(
  what: string,
  load: Omit<Run, 'side'>,
): Promise<readonly (readonly [string, string])[]> {
  const costs: Readonly<Record<Side, number[]>> = { guarded: [], open: [] }
  const ask = async (side: Side): Promise<number> =>
    await sender.ask<number>('run', { ...load, side } satisfies Run)
  say(`${what}: warming up`)
  for (const side of ['guarded', 'open'] as const) await ask(side)
  for (let round = 1; round <= ROUNDS; round++) {
    say(`${what}: round ${round} of ${ROUNDS}`)
    // Each is first in every other round, so that what drifts favours neither.
    const sides: Side[] = round % 2 === 1 ? ['guarded', 'open'] : ['open', 'guarded']
    for (const side of sides) costs[side].push(await ask(side))
  }
  const [guarded, open] = [median(costs.guarded), median(costs.open)]
  return [
    [`${what}: guarded`, guarded.toFixed(1)],
    [`${what}: open`, open.toFixed(1)],
    [`${what}: ratio`, (guarded / open).toFixed(3)],
  ]
}
