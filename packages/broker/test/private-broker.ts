import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RabbitMqServer } from '@postrider/servers'

/** A RabbitMQ of a test file's own, to be stopped, frozen, killed and wiped. */
export class PrivateBroker implements AsyncDisposable {
  readonly server: RabbitMqServer
  readonly #directory: string

  private constructor(server: RabbitMqServer, directory: string) {
    this.server = server
    this.#directory = directory
  }

  static async start(): Promise<PrivateBroker> {
    const directory = await mkdtemp(join(tmpdir(), 'postrider-broker-'))
    const server = new RabbitMqServer({ directory })
    await server.start()
    return new PrivateBroker(server, directory)
  }

  /** Freezes the process: it keeps its connections and answers nothing; false lets it go on. */
  freeze(isFrozen: boolean): void {
    const { pid } = this.server
    if (pid === null) throw new Error('the broker is down')
    process.kill(pid, isFrozen ? 'SIGSTOP' : 'SIGCONT')
  }

  /** A table of rabbitmqctl: its sorted rows, with a space between the cells. */
  async table(...args: readonly string[]): Promise<string[]> {
    const text = await this.server.control(['--quiet', ...args, '--no-table-headers'])
    return text
      .replaceAll('\t', ' ')
      .split('\n')
      .filter((line) => line !== '')
      .toSorted((a, b) => a.localeCompare(b))
  }

  async setPolicy(
    name: string,
    pattern: string,
    definition: Readonly<Record<string, string | number>>,
  ): Promise<void> {
    const json = JSON.stringify(definition)
    await this.server.control(['set_policy', '--apply-to', 'queues', name, pattern, json])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop()
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}
