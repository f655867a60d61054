import {
  type DestinationType,
  isMask,
  maskCredentials,
  type TypeField,
  validateSettings,
} from '@postrider/destinations'
import * as fc from 'fast-check'
import { registry, settingsOf } from './samples.ts'

const types = registry.list().map((type): [string, DestinationType] => [type.document.type, type])

function fieldsOf({ document }: DestinationType): readonly TypeField[] {
  return [...document.config_fields, ...document.credential_fields]
}

function requiredFaults(part: string, fields: readonly TypeField[]): string[] {
  return fields.filter((field) => field.required).map(({ key }) => `${part}.${key} is required`)
}

describe.each(types)('document of %s', (name, type) => {
  const { document } = type

  it('has a label, a sentence, and instructions under a heading', () => {
    expect(document.label).toMatch(/^\S.*\S$/)
    expect(document.description).toMatch(/^[A-Z].*\.$/)
    expect(document.instructions).toMatch(/^# \S.*\n\n1\. [^]*\.\n$/)
    expect(document.instructions).toContain('its id stays the same')
  })

  it('has a drawing of its own that runs nothing and loads nothing', () => {
    expect(document.icon).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" [^<>]+>.+<\/svg>$/)
    expect(document.icon.length).toBeLessThan(1000)
    expect(document.icon).not.toMatch(/<script|<image|<use|href|style|\bon[a-z]+=/)
  })

  it('describes every field once, and names in the instructions what has to be filled in', () => {
    for (const fields of [document.config_fields, document.credential_fields]) {
      expect(new Set(fields.map((field) => field.key)).size).toBe(fields.length)
    }
    for (const field of fieldsOf(type)) {
      expect(field.key).toMatch(/^[a-z]+(?:_[a-z]+)*$/)
      expect(field.label).toMatch(/^\S.*\S$/)
      expect(field.description).toMatch(/^[^]+[.…]$/)
      expect(new Set(field.options?.map((option) => option.value)).size).toBe(
        field.options?.length ?? 0,
      )
    }
    const required = fieldsOf(type).filter((field) => field.required)
    const missing = required.filter((field) => !document.instructions.includes(field.label))
    expect(missing.map((field) => field.key)).toEqual([])
  })

  it('has only patterns, bounds and defaults that go together', () => {
    for (const { pattern = '', minlength = 0, maxlength = Infinity, ...field } of fieldsOf(type)) {
      expect(() => new RegExp(pattern, 'u')).not.toThrow()
      expect(minlength).toBeLessThanOrEqual(maxlength)
      expect(field.type === 'select').toBe(field.options !== undefined)
      expect(['true', 'false', undefined]).toContain(field.default)
    }
  })

  it('lets good settings through', () => {
    expect(validateSettings(type, settingsOf(name))).toEqual([])
  })

  it('asks for every required field, and for no other member', () => {
    const faults = validateSettings(type, { config: {}, credentials: {} })

    expect(faults).toEqual(
      expect.arrayContaining([
        ...requiredFaults('config', document.config_fields),
        ...requiredFaults('credentials', document.credential_fields),
      ]),
    )
    const { config, credentials } = settingsOf(name, { credentials: { pin: '1' } })
    expect(validateSettings(type, { config, credentials })).toEqual(['credentials.pin is unknown'])
  })

  it('validates whatever texts it is given', () => {
    const member = fc.oneof(
      fc.constantFrom(...fieldsOf(type).map((field) => field.key)),
      fc.string(),
    )
    const { config, credentials } = settingsOf(name)
    const text = fc.oneof(
      fc.constantFrom(...Object.values({ ...config, ...credentials })),
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.json(),
      fc.ipV6(),
    )
    const map = fc.dictionary(member, text, { maxKeys: 8 })
    const given = (good: object) => map.map((changes) => ({ ...good, ...changes }))

    fc.assert(
      fc.property(given(config), given(credentials), (someConfig, someCredentials) => {
        const settings = { config: someConfig, credentials: someCredentials }
        const faults = validateSettings(type, settings)

        expect(faults.every((fault) => /^(?:config|credentials)\../.test(fault))).toBe(true)
        expect(typeof type.target({ ...settings, topics: ['*'] }).target).toBe('string')
      }),
    )
  })

  it('never tells a secret in a fault', () => {
    const secret = 'Endpoint=xyzzy-never-shown'
    const sensitive = document.credential_fields.filter((field) => field.sensitive === true)
    for (const { key } of sensitive) {
      const settings = settingsOf(name, { credentials: { [key]: `${secret}\n` } })
      expect(validateSettings(type, settings).join()).not.toContain('xyzzy')
    }
  })

  it('hides in answers what is sensitive, and shows the rest', () => {
    const { credentials } = settingsOf(name)
    const shown = maskCredentials(document, credentials)
    const isSensitive = (key: string) =>
      document.credential_fields.find((field) => field.key === key)?.sensitive === true

    expect(Object.keys(shown).toSorted()).toEqual(Object.keys(credentials).toSorted())
    for (const [key, value] of Object.entries(shown)) {
      expect(isMask(value)).toBe(isSensitive(key))
      expect(value === credentials[key]).toBe(!isSensitive(key))
    }
  })
})

describe('sensitive fields', () => {
  it('are those with which somebody could send in the tenant’s name', () => {
    const sensitive = registry
      .list()
      .map(({ document }) => [
        document.type,
        document.credential_fields.filter((field) => field.sensitive).map((field) => field.key),
      ])

    expect(Object.fromEntries(sensitive)).toEqual({
      webhook: [],
      cloud_a_queue: ['key', 'secret', 'session'],
      broker_queue: ['password'],
      relay: ['token'],
      cloud_a_stream: ['key', 'secret', 'session'],
      cloud_b_bus: ['connection_string'],
      cloud_a_storage: ['key', 'secret', 'session'],
      cloud_c_topic: ['service_account_json'],
    })
  })
})
