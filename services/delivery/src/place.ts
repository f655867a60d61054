import { type Job, jobBytes } from '@postrider/common'
import type { Place } from '@postrider/state'

/** The place that a job was given when it was made. */
export function placeOfJob(job: Job): Place {
  return {
    queue: job.queue,
    tenantUid: job.tenantUid,
    destinationUid: job.destinationUid,
    eventUid: job.eventUid,
    dispatch: job.dispatch,
    bytes: jobBytes(job.data?.length ?? Infinity),
  }
}
