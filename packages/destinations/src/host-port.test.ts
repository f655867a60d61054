import { parseHostPort } from './host-port.ts'

describe('host and port', () => {
  it.each([
    ['mq.example.com', 'mq.example.com', null],
    ['MQ.Example.com:5671', 'mq.example.com', 5671],
    ['bücher.example:1', 'xn--bcher-kva.example', 1],
    ['10.0.0.7:65535', '10.0.0.7', 65_535],
    ['0x7f.1:5672', '127.0.0.1', 5672],
    ['127。0。0。1', '127.0.0.1', null],
    ['[2001:DB8::1]:5672', '[2001:db8::1]', 5672],
    ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', null],
  ])('are read from %s', (text, hostname, port) => {
    const parsed = parseHostPort(text)

    expect([parsed?.url.hostname, parsed?.port]).toEqual([hostname, port])
  })

  it.each([
    '',
    ':5672',
    'host:',
    'host:0',
    'host:65536',
    'host:123456',
    'host:-1',
    'host:5x',
    'host:1:2',
    'user@host',
    'host/path',
    String.raw`host\path`,
    'host?a',
    'host#a',
    'a host',
    '%31%32%37.0.0.1',
    '256.1.1.1',
    '2001:db8::1',
    '[2001:db8::1',
    '[fe80::1%25eth0]',
    '[127.0.0.1]',
    '[::1]host',
    'http://host',
  ])('are not in "%s"', (text) => {
    expect(parseHostPort(text)).toBeNull()
  })
})
