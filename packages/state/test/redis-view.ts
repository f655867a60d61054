import { Redis } from 'ioredis'

/** The size of the sets, and the sum of bytes over all of them. */
interface Contents {
  readonly all: number
  readonly bytes: number
  readonly tenants: number
  readonly destinations: number
}

export const NOTHING: Contents = { all: 0, bytes: 0, tenants: 0, destinations: 0 }

/** Looks into a Redis behind the back of the states that use it. */
export class RedisView implements Disposable {
  readonly client: Redis
  readonly #prefix: string

  constructor({ url, keyPrefix }: { readonly url: string; readonly keyPrefix: string }) {
    this.client = new Redis(url)
    // Some tests kill the server: that this connection fails meanwhile is no news.
    this.client.on('error', () => undefined)
    this.#prefix = `{${keyPrefix}}`
  }

  get channel(): string {
    return this.key('announcements')
  }

  key(name: string): string {
    return `${this.#prefix}:${name}`
  }

  keys(pattern = '*'): Promise<string[]> {
    return this.client.keys(this.key(pattern))
  }

  /** Milliseconds of the server's clock. */
  async now(): Promise<number> {
    const [seconds, microseconds] = await this.client.time()
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)
  }

  async subscribers(): Promise<number> {
    const [, count] = await this.client.pubsub('NUMSUB', this.channel)
    return Number(count)
  }

  /** Places held, over all. */
  held(): Promise<number> {
    return this.client.zcount(this.key('all'), '(0', '+inf')
  }

  async contents(): Promise<Contents> {
    const sum = await this.client.zscore(this.key('all'), '')
    return {
      all: await this.held(),
      bytes: 0 - Number(sum ?? 0),
      tenants: await this.#sizeOf('tenant:*'),
      destinations: await this.#sizeOf('destination:*'),
    }
  }

  [Symbol.dispose](): void {
    this.client.disconnect()
  }

  async #sizeOf(pattern: string): Promise<number> {
    const keys = await this.keys(pattern)
    const sizes = await Promise.all(keys.map((key) => this.client.zcard(key)))
    return sizes.reduce((sum, size) => sum + size, 0)
  }
}
