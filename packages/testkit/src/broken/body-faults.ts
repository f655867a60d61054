import { gzipSync } from 'node:zlib'
import {
  answer,
  answerAndClose,
  drip,
  flood,
  type Misbehaviour,
  onFirstBytes,
} from './misbehaviour.ts'

const END = '\r\n\r\n'
const CHUNKED = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked${END}`

/** 100 MiB of nothing. */
const BOMB = gzipSync(Buffer.alloc(100 * 1024 ** 2))

/** Answers whose status is clear and whose body is not what the head promises, or has no end. */
export const BODY_FAULTS = {
  fin_in_body: answerAndClose(`HTTP/1.1 200 OK\r\ncontent-length: 100${END}some`),
  silence_in_body: answer(`HTTP/1.1 200 OK\r\ncontent-length: 100${END}some`),
  more_than_length: answer(`HTTP/1.1 200 OK\r\ncontent-length: 4${END}some more`),
  bad_chunk: answer(`${CHUNKED}4\r\nsome\r\nzz\r\nmore\r\n`),
  chunk_without_end: answer(`${CHUNKED}ffffff\r\nsome`),
  fin_in_chunk: answerAndClose(`${CHUNKED}ff\r\nsome`),
  endless_chunk_size: flood(CHUNKED, 'f'),
  endless_chunk_extension: flood(`${CHUNKED}4;`, 'a'),
  endless_trailers: flood(`${CHUNKED}4\r\nsome\r\n0\r\n`, 'x-a: b\r\n'),
  endless_body: flood(`HTTP/1.0 200 OK${END}`, 'some'),
  dripping_body: drip(CHUNKED, '1\r\na\r\n'),
  compressed_bomb: answer(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${BOMB.length}${END}`,
      ),
      BOMB,
    ]),
  ),
  no_content_with_body: answer(`HTTP/1.1 204 No Content\r\ncontent-length: 4${END}some`),
  not_modified_with_body: answer(`HTTP/1.1 304 Not Modified\r\ncontent-length: 4${END}some`),
  http_1_0: answerAndClose(`HTTP/1.0 200 OK${END}some`),
  close_after_answer: answerAndClose(
    `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 4${END}some`,
  ),
  redirect: answer(
    `HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0${END}`,
  ),
  gone: answer(`HTTP/1.1 410 Gone\r\ncontent-length: 0${END}`),
  pause_of_nonsense: answer(`HTTP/1.1 429 Slow Down\r\nretry-after: -1\r\ncontent-length: 0${END}`),
  pause_without_end: answer(
    `HTTP/1.1 503 Slow Down\r\nretry-after: 99999999999999999999\r\ncontent-length: 0${END}`,
  ),
  /** The next request on the connection would find a second answer there. */
  two_answers: answer(
    `HTTP/1.1 200 OK\r\ncontent-length: 5${END}firstHTTP/1.1 410 Gone\r\ncontent-length: 6${END}second`,
  ),
  refusal_before_body: onFirstBytes(
    (socket) => void socket.write(`HTTP/1.1 413 Too Large\r\ncontent-length: 0${END}`),
  ),
  refusal_before_body_and_close: onFirstBytes((socket) => {
    socket.end(`HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 0${END}`)
  }),
  refusal_before_body_and_reset: onFirstBytes((socket) => {
    const head = `HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 0${END}`
    socket.write(head, () => socket.destroy())
  }),
} as const satisfies Readonly<Record<string, Misbehaviour>>
