import { startFaultProxy } from '@postrider/testkit'
import type { Random } from '../random.ts'
import { TIMEOUT_MS } from '../timing.ts'
import { type Spell, spellsOf, Weather } from './weather.ts'

/** Ways to servers that go wrong at times, as the servers themselves do. */
export class BadLines {
  readonly #endings: (() => Promise<void>)[] = []

  /**
   * A way to the server at this port.
   *
   * @param spells - of the server itself, with how often they come
   * @returns the port to go to instead
   */
  async to(
    port: number,
    random: Random,
    spells: readonly (readonly [Spell, number])[],
  ): Promise<number> {
    const proxy = await startFaultProxy({ port })
    const weather = new Weather(random, [...spellsOf(proxy, random, TIMEOUT_MS), ...spells])
    this.#endings.push(async () => {
      await weather.end()
      await proxy.stop()
    })
    return proxy.port
  }

  /** Resolves when the last spell is over and all ways are closed. Idempotent. */
  async end(): Promise<void> {
    for (const end of this.#endings.splice(0)) await end()
  }
}
