import { setTimeout as pause } from 'node:timers/promises'
import type { FaultProxy } from '@postrider/testkit'
import type { Random } from '../random.ts'

/** Something that goes wrong for a while; resolves when it is good again. */
export type Spell = () => Promise<void>

/** Good and bad spells in turns, for a server whose single tries nobody here can decide. */
export class Weather {
  readonly #ended = new AbortController()
  readonly #going: Promise<void>

  /** @param spells - with how often they come */
  constructor(random: Random, spells: readonly (readonly [Spell, number])[]) {
    this.#going = this.#go(random, spells)
  }

  /** Resolves when the last spell is over; all is good then. */
  async end(): Promise<void> {
    this.#ended.abort()
    await this.#going
  }

  async #go(random: Random, spells: readonly (readonly [Spell, number])[]): Promise<void> {
    const { signal } = this.#ended
    while (!signal.aborted) {
      await random.pick(spells)()
      await pause(random.between(50, 1500), undefined, { signal }).catch(() => undefined)
    }
  }
}

/** The spells of the way to a server. `timeoutMs`: when senders give up. */
export function spellsOf(
  proxy: FaultProxy,
  random: Random,
  timeoutMs: number,
): readonly (readonly [Spell, number])[] {
  return [
    [async () => proxy.cutAll(), 3],
    [async () => proxy.cutAll('end'), 1],
    [
      // The server takes what comes, and its answers are lost.
      async () => {
        proxy.stall('down', true)
        await pause(random.between(50, timeoutMs / 2))
        proxy.cutAll()
        proxy.stall('down', false)
      },
      4,
    ],
    [
      // Answers come late, some of them too late.
      async () => {
        proxy.stall('down', true)
        await pause(random.between(timeoutMs / 2, timeoutMs * 1.5))
        proxy.stall('down', false)
      },
      2,
    ],
    [
      async () => {
        proxy.stall('up', true)
        await pause(random.between(50, timeoutMs))
        proxy.cutAll()
        proxy.stall('up', false)
      },
      2,
    ],
    [
      async () => {
        await proxy.down()
        await pause(random.between(50, timeoutMs))
        await proxy.up()
      },
      3,
    ],
  ]
}
