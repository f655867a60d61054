/** What may be signed of a request. */
export interface SignedMessage {
  /** As its header carries it: visible ASCII and spaces, whatever it holds. */
  readonly eventId: string
  /** The same. */
  readonly topic: string
  /** The time that is sent, Unix milliseconds. */
  readonly timeMs: number
  /** The same in Unix seconds, as its header carries it. */
  readonly timestamp: string
  /** The exact bytes of the request's body. */
  readonly body: Buffer
  /** Now, Unix milliseconds by Postgres' clock: decides which keys are in force. */
  readonly nowMs: number
}
