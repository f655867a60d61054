import { jest } from '@jest/globals'
import { readProcessSettings } from './environment.ts'

describe('the settings of this process', () => {
  afterEach(() => jest.restoreAllMocks())

  it('come from its own environment', () => {
    jest.replaceProperty(process, 'env', { POSTGRES_URL: 'postgres://db.test', LOG_LEVEL: 'debug' })
    expect(readProcessSettings({ mode: 'migrate' }).config.logLevel).toBe('debug')
  })
})
