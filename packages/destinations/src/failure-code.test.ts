import { errors } from 'undici'
import { failureCode } from './failure-code.ts'

function failing(code: string, message = 'it failed'): Error {
  return Object.assign(new Error(message), { code })
}

describe('failure code', () => {
  it.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['ENETUNREACH', 'network_unreachable'],
    ['EHOSTUNREACH', 'network_unreachable'],
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls_error'],
    ['UND_ERR_HEADERS_OVERFLOW', 'protocol_error'],
    ['UND_ERR_INVALID_ARG', 'unsendable'],
    ['ESOMETHING', 'network_error'],
  ])('of %s is %s', (code, expected) => {
    expect(failureCode(failing(code))).toBe(expected)
  })

  it('tells a closed connection from a bad answer', () => {
    expect(failureCode(failing('UND_ERR_SOCKET', 'other side closed'))).toBe('connection_reset')
    expect(failureCode(failing('UND_ERR_SOCKET', 'bad upgrade'))).toBe('protocol_error')
  })

  it('of an answer that is not HTTP is protocol_error', () => {
    expect(failureCode(new errors.HTTPParserError('not HTTP'))).toBe('protocol_error')
  })

  it('of an error without a code is network_error', () => {
    expect(failureCode(new Error('what?'))).toBe('network_error')
  })

  it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EADDRNOTAVAIL', 'UND_ERR_DESTROYED'])(
    'there is none for %s: the fault is ours',
    (code) => {
      expect(failureCode(failing(code))).toBeNull()
    },
  )
})
