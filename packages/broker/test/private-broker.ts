import type { RabbitMqServer } from '@postrider/servers'
import { privateRabbitMq } from '@postrider/testkit'

/** A RabbitMQ of a test file's own, to be looked into, frozen, killed and wiped. */
export class PrivateBroker implements AsyncDisposable {
  readonly server: RabbitMqServer

  private constructor(server: RabbitMqServer) {
    this.server = server
  }

  static async start(): Promise<PrivateBroker> {
    return new PrivateBroker(await privateRabbitMq())
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
    await this.server[Symbol.asyncDispose]()
  }
}
