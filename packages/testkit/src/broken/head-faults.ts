import { answer, drip, flood, type Misbehaviour } from './misbehaviour.ts'

const END = '\r\n\r\n'

/** Answers whose head is not what HTTP/1.1 knows, or has no end. */
export const HEAD_FAULTS = {
  greeting: (socket) => void socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
  not_http: answer(`this is not HTTP${END}`),
  http_0_9: answer('<html>hello</html>'),
  http_2: answer(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
  no_status: answer(`HTTP/1.1 abc${END}`),
  status_000: answer(`HTTP/1.1 000 Nothing\r\ncontent-length: 0${END}`),
  status_099: answer(`HTTP/1.1 099 Nothing\r\ncontent-length: 0${END}`),
  status_999: answer(`HTTP/1.1 999 Much\r\ncontent-length: 0${END}`),
  status_four_digits: answer(`HTTP/1.1 2000 OK\r\ncontent-length: 0${END}`),
  nul_in_header: answer(`HTTP/1.1 200 OK\r\nx-a: b\0c\r\ncontent-length: 0${END}`),
  bare_cr_in_header: answer(`HTTP/1.1 200 OK\r\nx-a: b\rc\r\ncontent-length: 0${END}`),
  header_without_name: answer(`HTTP/1.1 200 OK\r\n: b\r\ncontent-length: 0${END}`),
  header_without_colon: answer(`HTTP/1.1 200 OK\r\nnonsense\r\ncontent-length: 0${END}`),
  negative_length: answer(`HTTP/1.1 200 OK\r\ncontent-length: -1${END}`),
  absurd_length: answer(`HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999${END}`),
  two_lengths: answer(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2${END}ab`),
  length_and_chunks: answer(
    `HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked${END}0${END}`,
  ),
  large_header: answer(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(20_000)}${END}`),
  endless_header: flood('HTTP/1.1 200 OK\r\nx-a: ', 'a'),
  endless_headers: flood('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'),
  dripping_headers: drip('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'),
  unasked_upgrade: answer(`HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade${END}`),
  unasked_continue: answer(`HTTP/1.1 100 Continue${END}HTTP/1.1 200 OK\r\ncontent-length: 0${END}`),
  early_hints: answer(
    `${`HTTP/1.1 103 Early Hints${END}`.repeat(3)}HTTP/1.1 200 OK\r\ncontent-length: 0${END}`,
  ),
  endless_early_hints: flood('', `HTTP/1.1 103 Early Hints${END}`),
  dripping_early_hints: drip('', `HTTP/1.1 103 Early Hints\r\nlink: </a>${END}`),
} as const satisfies Readonly<Record<string, Misbehaviour>>
