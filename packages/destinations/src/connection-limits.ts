/** Far more than anybody has to say ahead of an answer; without an end they would cost CPU time. */
export const MAX_INFORMATIONAL = 32

/** An idle connection is kept this long when the server does not say; most close after 5 s. */
export const KEEP_ALIVE_MS = 4000
