import { parseBrokerUrl } from './dial.ts'

describe('parseBrokerUrl', () => {
  it('keeps user and password out of the label', () => {
    const address = parseBrokerUrl('amqp://user:secret@broker:5672/vhost')
    expect(address.label).toBe('broker:5672/vhost')
  })

  it('asks for heartbeats, unless the URL says how often', () => {
    expect(parseBrokerUrl('amqp://broker').url).toBe('amqp://broker?heartbeat=10')
    expect(parseBrokerUrl('amqp://broker?heartbeat=3').url).toBe('amqp://broker?heartbeat=3')
  })

  it('keeps an encoded vhost as it is', () => {
    expect(parseBrokerUrl('amqps://u:p%40@broker/%2F').url).toBe(
      'amqps://u:p%40@broker/%2F?heartbeat=10',
    )
  })

  it.each(['https://user:secret@broker', 'user:secret@broker:port', ''])(
    'refuses what is not an AMQP URL without repeating it (%#)',
    (url) => {
      const parse = () => parseBrokerUrl(url)
      expect(parse).toThrow(TypeError)
      expect(parse).not.toThrow(/secret/)
    },
  )
})
