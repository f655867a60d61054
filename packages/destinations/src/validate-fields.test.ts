import type { StringMap } from '@postrider/common'
import type { DestinationType, TypeField } from './destination-type.ts'
import { validateSettings } from './validate-fields.ts'

function field(key: string, changes: Partial<TypeField>): TypeField {
  return { key, type: 'text', label: key, description: key, required: false, ...changes }
}

/** A type that has every kind of field and a rule of its own. */
const type: DestinationType = {
  document: {
    type: 'sample',
    label: 'Sample',
    description: 'Shows every kind of field.',
    icon: '<svg/>',
    instructions: '',
    config_fields: [
      field('name', { required: true, minlength: 3, maxlength: 5, pattern: '^[a-z]+$' }),
      field('note', { minlength: 1 }),
      field('tls', { type: 'checkbox' }),
      field('port', { type: 'number', min: 1, max: 65_535 }),
      field('size', { type: 'select', options: [option('S'), option('M')] }),
      field('headers', { type: 'key_value_map' }),
    ],
    credential_fields: [field('token', { required: true, sensitive: true })],
  },
  example: { config: { name: 'abc' }, credentials: { token: 't' } },
  validate: ({ config }) => (config['name'] === 'taken' ? ['config.name is taken'] : []),
  target: () => ({ target: '', targetUrl: null }),
  createSender: () => {
    throw new Error('nothing is sent here')
  },
}

function option(value: string): { label: string; value: string } {
  return { label: value, value }
}

function faults(config: StringMap, credentials: StringMap = { token: 't' }): readonly string[] {
  return validateSettings(type, { config, credentials })
}

describe('settings against a type’s document', () => {
  it('fit when every field does', () => {
    const config = {
      name: 'abc',
      note: 'x',
      tls: 'true',
      port: '8080',
      size: 'M',
      headers: '{"a":"b"}',
    }

    expect(faults(config)).toEqual([])
  })

  it.each<[string, StringMap, string]>([
    ['a field that is required', {}, 'config.name is required'],
    ['a required field that is empty', { name: '' }, 'config.name is required'],
    ['a field that does not exist', { name: 'abc', nam: 'x' }, 'config.nam is unknown'],
    ['a text too short', { name: 'ab' }, 'config.name must be at least 3 characters long'],
    ['a text too long', { name: 'abcdef' }, 'config.name must be at most 5 characters long'],
    ['a text of another form', { name: 'ABC' }, 'config.name must match ^[a-z]+$'],
    ['a text with a line after it', { name: 'abc\n' }, 'config.name must match ^[a-z]+$'],
    ['an empty text', { name: 'abc', note: '' }, 'config.note must not be empty'],
    ['a checkbox', { name: 'abc', tls: 'yes' }, 'config.tls must be true or false'],
    ['a number', { name: 'abc', port: '8e3' }, 'config.port must be a number'],
    ['a number too small', { name: 'abc', port: '0' }, 'config.port must be at least 1'],
    ['a number too large', { name: 'abc', port: '65536' }, 'config.port must be at most 65535'],
    ['a choice', { name: 'abc', size: 'L' }, 'config.size must be one of S, M'],
    [
      'a map that is no JSON',
      { name: 'abc', headers: '{' },
      'config.headers must be a JSON object of strings',
    ],
    [
      'a map that is a list',
      { name: 'abc', headers: '["a"]' },
      'config.headers must be a JSON object of strings',
    ],
    [
      'a map of numbers',
      { name: 'abc', headers: '{"a":1}' },
      'config.headers must be a JSON object of strings',
    ],
  ])('name %s', (_, config, fault) => {
    expect(faults(config)).toEqual([fault])
  })

  it('have all their faults named at once', () => {
    expect(faults({ port: 'x', other: '' }, { password: 'p' })).toEqual([
      'config.other is unknown',
      'config.name is required',
      'config.port must be a number',
      'credentials.password is unknown',
      'credentials.token is required',
    ])
  })

  it('meet the type’s own rules only when they fit the document', () => {
    expect(faults({ name: 'taken' })).toEqual(['config.name is taken'])
    expect(faults({ name: 'taken', port: 'x' })).toEqual(['config.port must be a number'])
  })

  it('have no members that objects are born with', () => {
    expect(faults(JSON.parse('{"name":"abc","constructor":"x"}') as StringMap)).toEqual([
      'config.constructor is unknown',
    ])
  })
})
