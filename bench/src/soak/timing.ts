/** When a delivery of the run gives up. */
export const TIMEOUT_MS = 2000
