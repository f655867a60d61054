import { type Misbehaviour, onFirstBytes, onRequest } from './misbehaviour.ts'

/** Connections that break or go silent. */
export const CONNECTION_FAULTS = {
  reset_on_connect: (socket) => void socket.resetAndDestroy(),
  fin_on_connect: (socket) => void socket.end(),
  reset_in_request: onFirstBytes((socket) => void socket.resetAndDestroy()),
  reset_after_request: onRequest((socket) => void socket.resetAndDestroy()),
  fin_after_request: onRequest((socket) => void socket.end()),
  fin_in_status_line: onRequest((socket) => void socket.end('HTTP/1.')),
  fin_in_head: onRequest((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-')),
  never_reads: (socket) => void socket.pause(),
  never_answers: onRequest(() => undefined),
  silence_in_head: onRequest((socket) => void socket.write('HTTP/1.1 200 OK\r\nx-a: b\r\n')),
} as const satisfies Readonly<Record<string, Misbehaviour>>
