import * as fc from 'fast-check'
import type { StringMap } from '@postrider/common'
import type { CredentialChange } from '../destination-type.ts'
import { currentWebhookCredentials, settleWebhookCredentials } from './credentials.ts'
import { MAX_SECRETS, readSecrets } from './secrets.ts'
import type { WebhookSettings } from './settings.ts'

const NOW_MS = Date.parse('2026-11-21T12:00:00.000Z')
const HOUR_MS = 3_600_000
const TOMORROW = '2026-11-22T12:00:00.000Z'
const GENERATED = /^whsec_[A-Za-z0-9+/]{43}=$/
const NO_CHANGE = { stored: null, patch: {}, byTenant: false, nowMs: NOW_MS }

type Mode = WebhookSettings['mode']

function at(ms: number): string {
  return new Date(NOW_MS + ms).toISOString()
}

function settle(change: Partial<CredentialChange>, mode: Mode = 'default'): StringMap {
  const settled = settleWebhookCredentials({ ...NO_CHANGE, ...change }, mode)
  return settled.kind === 'settled' ? settled.credentials : {}
}

function faults(change: Partial<CredentialChange>, mode: Mode = 'default'): readonly string[] {
  const settled = settleWebhookCredentials({ ...NO_CHANGE, ...change }, mode)
  return settled.kind === 'refused' ? settled.faults : []
}

describe('secret of a new webhook', () => {
  it('is generated when none is given, another one every time', () => {
    const first = settle({ byTenant: true })
    const second = settle({ byTenant: true })

    expect(Object.keys(first)).toEqual(['secret'])
    expect(first['secret']).toMatch(GENERATED)
    expect(second['secret']).not.toBe(first['secret'])
  })

  it('may be given by an admin, with a previous one that stays for 24 hours', () => {
    expect(settle({ patch: { secret: 'mine', previous_secret: 'older' } })).toEqual({
      secret: 'mine',
      previous_secret: 'older',
      previous_secret_invalid_at: TOMORROW,
    })
  })

  it('may not be given by a tenant', () => {
    const patch = { secret: 'mine', previous_secret: 'a', previous_secret_invalid_at: TOMORROW }

    expect(faults({ patch, byTenant: true })).toEqual([
      'credentials.secret is forbidden',
      'credentials.previous_secret is forbidden',
      'credentials.previous_secret_invalid_at is forbidden',
    ])
  })

  it('cannot be rotated yet', () => {
    expect(faults({ patch: { rotate_secret: 'true' } })).toEqual([
      'credentials.rotate_secret is only for updates',
    ])
  })
})

describe('rotation', () => {
  const stored = { secret: 'first' }
  const rotate = { rotate_secret: 'true' }

  it('makes a new secret and keeps the old one for 24 hours', () => {
    const after = settle({ stored, patch: rotate, byTenant: true })

    expect(after).toEqual({
      secret: expect.stringMatching(GENERATED),
      previous_secret: 'first',
      previous_secret_invalid_at: TOMORROW,
    })
  })

  it('keeps the old one until the given time', () => {
    const patch = { ...rotate, previous_secret_invalid_at: '2026-11-21T14:00:00+01:00' }

    expect(settle({ stored, patch, byTenant: true })).toMatchObject({
      previous_secret_invalid_at: at(HOUR_MS),
    })
  })

  it('revokes the old one at once when that time has passed', () => {
    const patch = { ...rotate, previous_secret_invalid_at: at(0) }

    expect(Object.keys(settle({ stored, patch, byTenant: true }))).toEqual(['secret'])
  })

  it('keeps older secrets until their own windows end, and shows the newest', () => {
    const once = settle({ stored, patch: rotate })
    const twice = settle({ stored: once, patch: rotate, nowMs: NOW_MS + HOUR_MS })

    expect(twice['previous_secret']).toBe(once['secret'])
    expect(readSecrets(twice).previous).toEqual([
      { secret: once['secret'], invalidAt: at(25 * HOUR_MS) },
      { secret: 'first', invalidAt: TOMORROW },
    ])
    const dayLater = currentWebhookCredentials(twice, NOW_MS + 24 * HOUR_MS)
    expect(readSecrets(dayLater).previous).toHaveLength(1)
    const allOver = currentWebhookCredentials(twice, NOW_MS + 25 * HOUR_MS)
    expect(allOver).toEqual({ secret: twice['secret'] })
  })

  it('never leaves more than five secrets, nor one whose window has ended', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ stepMs: fc.nat(HOUR_MS), windowMs: fc.integer({ max: 4 * HOUR_MS }) }),
        ),
        (rotations) => {
          let credentials: StringMap = stored
          let nowMs = NOW_MS
          for (const { stepMs, windowMs } of rotations) {
            nowMs += stepMs
            const before = credentials['secret']
            const patch = {
              ...rotate,
              previous_secret_invalid_at: new Date(nowMs + windowMs).toISOString(),
            }
            credentials = settle({ stored: credentials, patch, nowMs })
            const { current, previous } = readSecrets(credentials)
            expect(current).not.toBe(before)
            expect(previous.length + 1).toBeLessThanOrEqual(MAX_SECRETS)
            expect(previous.every(({ invalidAt }) => Date.parse(invalidAt) > nowMs)).toBe(true)
            expect(previous.some(({ secret }) => secret === before)).toBe(windowMs > 0)
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  it('takes no previous secret besides the one that it makes', () => {
    expect(faults({ stored, patch: { ...rotate, previous_secret: 'other' } })).toEqual([
      'credentials.previous_secret is set by a rotation: it becomes the current secret',
    ])
  })
})

describe('change of a webhook’s secrets', () => {
  const stored = {
    secret: 'first',
    previous_secret: 'older',
    previous_secret_invalid_at: TOMORROW,
  }

  it('leaves everything as it is when a tenant sends back what he was shown', () => {
    expect(settle({ stored, patch: stored, byTenant: true })).toEqual(stored)
    expect(settle({ stored, patch: { rotate_secret: 'false' }, byTenant: true })).toEqual(stored)
  })

  it('is forbidden to tenants, also to remove', () => {
    const patch = { secret: null, previous_secret_invalid_at: at(1) }

    expect(faults({ stored, patch, byTenant: true })).toEqual([
      'credentials.secret is forbidden',
      'credentials.previous_secret_invalid_at is forbidden',
    ])
  })

  it('by an admin puts what is given in its place', () => {
    expect(settle({ stored, patch: { secret: 'second' } })).toEqual({ ...stored, secret: 'second' })
    expect(settle({ stored, patch: { previous_secret: null } })).toEqual({ secret: 'first' })
    expect(settle({ stored, patch: { previous_secret_invalid_at: at(-1) } })).toEqual({
      secret: 'first',
    })
    expect(settle({ stored, patch: { secret: null } })['secret']).toMatch(GENERATED)
  })

  it('needs a previous secret for its time', () => {
    const patch = { previous_secret_invalid_at: TOMORROW }

    expect(faults({ stored: { secret: 'first' }, patch })).toEqual([
      'credentials.previous_secret_invalid_at needs previous_secret or rotate_secret',
    ])
  })
})

/** A secret in the form of Standard Webhooks, of so many bytes. */
function ofBytes(length: number): string {
  return `whsec_${Buffer.alloc(length, 0xfb).toString('base64')}`
}

describe('secret given by an admin in standard mode', () => {
  const rule = 'must be whsec_ and the base64 of 24 to 64 bytes'

  it.each([24, 32, 64])('may be the base64 of %i bytes', (length) => {
    expect(settle({ patch: { secret: ofBytes(length) } }, 'standard')).toEqual({
      secret: ofBytes(length),
    })
  })

  it.each([
    ['other text', 'first-delivery'],
    ['base64 without its prefix', ofBytes(32).slice(6)],
    ['another prefix', ofBytes(32).replace('whsec_', 'whsk_')],
    ['what is no base64', `whsec_${'?'.repeat(44)}`],
    ['base64 of URLs', ofBytes(32).replaceAll('+', '-')],
    ['base64 without its padding', ofBytes(32).replaceAll('=', '')],
    ['base64 with white space', `${ofBytes(32)} `],
    ['too few bytes', ofBytes(23)],
    ['too many bytes', ofBytes(65)],
    ['no bytes', 'whsec_'],
  ])('may not be %s', (_, text) => {
    const stored = { secret: ofBytes(32) }

    expect(faults({ patch: { secret: text } }, 'standard')).toEqual([`credentials.secret ${rule}`])
    expect(faults({ stored, patch: { secret: text, previous_secret: text } }, 'standard')).toEqual([
      `credentials.secret ${rule}`,
      `credentials.previous_secret ${rule}`,
    ])
    expect(faults({ stored, patch: { rotate_secret: 'true', secret: text } }, 'standard')).toEqual([
      `credentials.secret ${rule}`,
    ])
    expect(settle({ patch: { secret: text } })).toEqual({ secret: text })
  })

  it('may be sent back as it was shown when it is older than the mode', () => {
    const stored = {
      secret: 'first',
      previous_secret: 'older',
      previous_secret_invalid_at: TOMORROW,
    }

    expect(settle({ stored, patch: stored }, 'standard')).toEqual(stored)
    expect(settle({ stored, patch: { rotate_secret: 'true' } }, 'standard')).toMatchObject({
      secret: expect.stringMatching(GENERATED),
      previous_secret: 'first',
    })
  })
})
