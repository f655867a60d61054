import { readValues } from './read-values.ts'
import { toConfig } from './to-config.ts'

describe('standard webhook mode', () => {
  it('has its own prefix, and the time of the attempt, because receivers refuse old ones', () => {
    const values = readValues({ DESTINATIONS_WEBHOOK_MODE: 'standard' }, [])
    expect(toConfig(values, false).destinations.webhook).toMatchObject({
      headerPrefix: 'webhook-',
      timestampSource: 'attempt',
    })
  })

  it('leaves both to the operator all the same', () => {
    const values = readValues(
      {
        DESTINATIONS_WEBHOOK_MODE: 'standard',
        DESTINATIONS_WEBHOOK_HEADER_PREFIX: 'acme-',
        DESTINATIONS_WEBHOOK_TIMESTAMP_SOURCE: 'event',
      },
      [],
    )
    expect(toConfig(values, false).destinations.webhook).toMatchObject({
      headerPrefix: 'acme-',
      timestampSource: 'event',
    })
  })
})
