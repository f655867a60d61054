import type { CredentialChange, DestinationType } from '@postrider/destinations'
import { ApiError } from '../http/errors.ts'
import { type SettingsChange, settleSettings } from './settings.ts'

const field = (
  key: string,
  more: object = {},
): DestinationType['document']['config_fields'][number] => ({
  key,
  type: 'text',
  label: key,
  description: key,
  required: false,
  ...more,
})

/** A type with a credential that answers do not show. */
function cloudType(more: Partial<DestinationType> = {}): DestinationType {
  return {
    document: {
      type: 'cloud',
      label: 'Cloud',
      description: '',
      icon: '',
      instructions: '',
      config_fields: [field('queue')],
      credential_fields: [
        field('key', { required: true, sensitive: true }),
        field('session', { sensitive: true }),
      ],
    },
    example: { config: {}, credentials: { key: 'k' } },
    validate: () => [],
    target: () => ({ target: '', targetUrl: null }),
    createSender: () => {
      throw new Error('nothing is sent here')
    },
    ...more,
  }
}

const STORED = { config: {}, credentials: { key: 'AKIA1234567890', session: 'short' } }

const change = (given: Partial<SettingsChange>): SettingsChange => ({
  stored: STORED,
  config: {},
  credentials: {},
  caller: { kind: 'admin' },
  nowMs: 0,
  ...given,
})

function faultsOf(work: () => unknown): readonly string[] {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error.data
    throw error
  }
  return []
}

describe('settling config and credentials', () => {
  it('replaces, adds and removes members', () => {
    const credentials = { key: 'another key', session: null }
    expect(settleSettings(cloudType(), change({ credentials }))).toEqual({
      config: {},
      credentials: { key: 'another key' },
    })
  })

  it('keeps a credential whose mask comes back', () => {
    const credentials = { key: 'AKIA********', session: '********' }
    expect(settleSettings(cloudType(), change({ credentials }))).toEqual(STORED)
  })

  it.each([
    ['of another value', { key: 'BKIA********' }],
    ['of a shorter value', { key: '********' }],
  ])('refuses a mask %s', (_, credentials) => {
    expect(faultsOf(() => settleSettings(cloudType(), change({ credentials })))).toEqual([
      'credentials.key is masked: give the value itself',
    ])
  })

  it('refuses a mask when there is nothing yet to keep', () => {
    const made = change({ stored: null, credentials: { key: 'AKIA********' } })
    expect(faultsOf(() => settleSettings(cloudType(), made))).toEqual([
      'credentials.key is masked: give the value itself',
    ])
  })

  it('refuses to clear credentials that are required', () => {
    expect(faultsOf(() => settleSettings(cloudType(), change({ credentials: null })))).toEqual([
      'credentials.key is required',
    ])
  })

  it('tells a type whether it is the tenant who asks', () => {
    const asked: CredentialChange[] = []
    const type = cloudType({
      settleCredentials: (each) => {
        asked.push(each)
        return { kind: 'refused', faults: ['credentials.key is forbidden'] }
      },
    })
    const caller = { kind: 'tenant', tenantId: 'acme' } as const
    const credentials = { key: 'another key' }
    expect(faultsOf(() => settleSettings(type, change({ caller, credentials, nowMs: 7 })))).toEqual(
      ['credentials.key is forbidden'],
    )
    expect(asked).toEqual([
      { stored: STORED.credentials, patch: credentials, byTenant: true, nowMs: 7 },
    ])
  })

  it('has the type’s own config where callers have none to give', () => {
    const type = cloudType({ ownConfig: ({ key = '' }) => ({ account: key.slice(0, 4) }) })
    const asked = change({ config: { account: 'forged' }, credentials: { key: 'ASIA1234567890' } })

    expect(settleSettings(type, asked).config).toEqual({ account: 'ASIA' })
  })

  it('keeps what is stored when only what is no longer in force would go', () => {
    const stored = { config: {}, credentials: { key: 'AKIA1234567890', old: 'expired' } }
    const type = cloudType({
      currentCredentials: ({ key = '' }) => ({ key }),
      settleCredentials: ({ stored: before }) => ({
        kind: 'settled',
        credentials: { key: before?.['key'] ?? '' },
      }),
    })
    expect(settleSettings(type, change({ stored }))).toEqual(stored)
  })
})
