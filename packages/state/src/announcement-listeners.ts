import type { Log } from '@postrider/common'
import type { Announcement } from './shared-state.ts'

type Listener = (announcement: Announcement) => void

/** Who hears announcements in this process. A listener that throws keeps no other from hearing. */
export class AnnouncementListeners {
  readonly #log: Log
  // One entry per call of `add`: a function that was added twice hears twice.
  readonly #entries = new Set<{ readonly listener: Listener }>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Hears what is told from now on, until the returned function is called. */
  add(listener: Listener): () => void {
    const entry = { listener }
    this.#entries.add(entry)
    return () => {
      this.#entries.delete(entry)
    }
  }

  tell(announcements: readonly Announcement[]): void {
    for (const announcement of announcements) {
      for (const { listener } of this.#entries) {
        try {
          listener(announcement)
        } catch (error) {
          this.#log.error('announcement listener failed', { ...announcement, error })
        }
      }
    }
  }
}
