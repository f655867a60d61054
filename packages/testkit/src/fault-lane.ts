import type { Socket } from 'node:net'
/** `up`: from the client to the server; `down`: the way back. */
export type Direction = 'up' | 'down'

/** What goes wrong now; shared by all connections of a proxy. */
export interface Faults {
  blackhole: boolean
  latencyMs: number
  readonly stalled: Record<Direction, boolean>
  match: Match | null
}

/** Bytes whose passage cuts their connection. */
export interface Match {
  readonly direction: Direction
  readonly bytes: Buffer
  readonly forward: boolean
  times: number
  readonly onCut: () => void
}

export interface FaultLaneOptions {
  readonly direction: Direction
  readonly from: Socket
  readonly to: Socket
  readonly faults: Faults
  /** Cuts the whole connection. */
  readonly cut: () => void
}

/** One direction of a proxied connection: what arrives leaves in order, unless a fault says otherwise. */
export class FaultLane {
  readonly #options: FaultLaneOptions
  /** What has not left yet; null stands for the end of the stream. */
  readonly #waiting: { readonly piece: Buffer | null; readonly leavesAtMs: number }[] = []
  /** The last bytes that passed, so that a match may lie across pieces. */
  #tail: Buffer = Buffer.alloc(0)
  #timer: NodeJS.Timeout | null = null

  constructor(options: FaultLaneOptions) {
    this.#options = options
    const { from, to, faults } = options
    from.on('data', (piece: Buffer) => {
      const match = this.#matches(piece)
      if (match === null) {
        this.#add(piece)
        return
      }
      faults.match = null
      const end = (): void => {
        options.cut()
        match.onCut()
      }
      if (!match.forward) {
        end()
        return
      }
      for (const earlier of this.#waiting) if (earlier.piece !== null) to.write(earlier.piece)
      // Ahead of the lane back, so that the answer is cut off and not passed on.
      to.prependOnceListener('data', end)
      to.write(piece)
    })
    from.on('end', () => this.#add(null))
    to.on('drain', () => from.resume())
  }

  /** Lets out what may leave now. */
  flush(): void {
    const { direction, from, to, faults } = this.#options
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (;;) {
      const next = this.#waiting[0]
      if (next === undefined || faults.stalled[direction] || to.destroyed) return
      const waitMs = next.leavesAtMs - performance.now()
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.flush(), waitMs)
        return
      }
      this.#waiting.shift()
      if (next.piece === null) to.end()
      else if (!to.write(next.piece)) from.pause()
    }
  }

  #add(piece: Buffer | null): void {
    this.#waiting.push({ piece, leavesAtMs: performance.now() + this.#options.faults.latencyMs })
    this.flush()
  }

  #matches(piece: Buffer): Match | null {
    const { match } = this.#options.faults
    if (match === null || match.direction !== this.#options.direction) return null
    const seen = Buffer.concat([this.#tail, piece])
    const found = seen.includes(match.bytes)
    this.#tail = found
      ? Buffer.alloc(0)
      : seen.subarray(Math.max(0, seen.length - match.bytes.length + 1))
    if (!found) return null
    match.times--
    return match.times <= 0 ? match : null
  }
}
