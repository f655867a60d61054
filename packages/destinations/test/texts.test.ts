import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createRegistry, type Registry } from '@postrider/destinations'
import { SILENT_LOG, webhookSettings } from './factories.ts'
import { typeNamed } from './samples.ts'

describe('texts of an operator', () => {
  let directory: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'texts-'))
  })

  afterEach(async () => {
    await rm(directory, { recursive: true })
  })

  async function write(path: string, content: string | object): Promise<string> {
    const full = join(directory, path)
    await mkdir(dirname(full), { recursive: true })
    await writeFile(full, typeof content === 'string' ? content : JSON.stringify(content))
    return full
  }

  function open(metadataPath: string | null = directory): Registry {
    return createRegistry({
      webhook: webhookSettings(),
      allowedNetworks: [],
      version: 'test',
      metadataPath,
      log: SILENT_LOG,
    })
  }

  it('stand in place of a type’s own, and only they', async () => {
    await write('webhook/metadata.json', {
      label: 'Callback',
      description: 'Calls you back.',
      icon: '<svg/>',
      config_fields: [{ key: 'url', label: 'Adresse' }],
      credential_fields: [{ key: 'secret', description: 'Geheim.' }],
    })
    await write('cloud_a_queue/instructions.md', '# So geht das\n')
    const registry = open()
    const webhook = registry.get('webhook')?.document
    const own = typeNamed('webhook').document

    expect(webhook).toEqual({
      ...own,
      label: 'Callback',
      description: 'Calls you back.',
      icon: '<svg/>',
      config_fields: own.config_fields.map((field) =>
        field.key === 'url' ? { ...field, label: 'Adresse' } : field,
      ),
      credential_fields: own.credential_fields.map((field) =>
        field.key === 'secret' ? { ...field, description: 'Geheim.' } : field,
      ),
    })
    expect(registry.get('cloud_a_queue')?.document).toEqual({
      ...typeNamed('cloud_a_queue').document,
      instructions: '# So geht das\n',
    })
    expect(registry.get('relay')?.document).toEqual(typeNamed('relay').document)
    expect(registry.list().map((type) => registry.get(type.document.type))).toEqual(registry.list())
  })

  it('may be a copy of the whole document with other words', async () => {
    const { document } = typeNamed('cloud_a_storage')
    await write('cloud_a_storage/metadata.json', { ...document, label: 'S3' })

    expect(open().get('cloud_a_storage')?.document).toEqual({ ...document, label: 'S3' })
  })

  it('may lie beside other files', async () => {
    await write('README.md', 'ours')
    await write('.git/config', '')

    expect(open().list()).toHaveLength(8)
    expect(open(null).list()).toHaveLength(8)
  })

  it.each<[string | object, string]>([
    ['{', 'JSON'],
    ['[]', 'must hold a JSON object'],
    [{ label: '' }, 'label must be a text that is not empty'],
    [{ description: 1 }, 'description must be a text that is not empty'],
    [{ icon: 'https://example.com/icon.png' }, 'icon must be an inline SVG'],
    [{ type: 'hook' }, 'type is not a text that may be replaced'],
    [{ lable: 'x' }, 'lable is not a text that may be replaced'],
    [{ setup_link: { href: '', cta: '' } }, 'setup_link is not a text that may be replaced'],
    [{ config_fields: {} }, 'config_fields must be a list'],
    [{ config_fields: [null] }, 'config_fields[0] must be an object'],
    [
      { config_fields: [{ key: 'uri', label: 'x' }] },
      'config_fields[0].key must be that of a field, each once',
    ],
    [
      { config_fields: [{ key: 'url' }, { key: 'url' }] },
      'config_fields[1].key must be that of a field, each once',
    ],
    [
      { config_fields: [{ key: 'url', required: false }] },
      'config_fields.url.required is not a text that may be replaced',
    ],
    [
      { credential_fields: [{ key: 'secret', sensitive: true }] },
      'credential_fields.secret.sensitive is not a text that may be replaced',
    ],
    [
      { credential_fields: [{ key: 'secret', label: ' ' }] },
      'credential_fields.secret.label must be a text that is not empty',
    ],
  ])('stop the start with their path when they are %j', async (content, reason) => {
    const path = await write('webhook/metadata.json', content)

    expect(() => open()).toThrow(path)
    expect(() => open()).toThrow(reason)
  })

  it('stop the start when there is no such type, file or directory', async () => {
    const strange = dirname(await write('pigeon/metadata.json', {}))
    expect(() => open()).toThrow(
      `DESTINATIONS_METADATA_PATH: ${strange}: there is no destination type of this name`,
    )
    await rm(strange, { recursive: true })

    const path = join(directory, 'relay', 'instructions.md')
    await mkdir(path, { recursive: true })
    expect(() => open()).toThrow(path)
    const nowhere = join(directory, 'nowhere')
    expect(() => open(nowhere)).toThrow(`DESTINATIONS_METADATA_PATH: ${nowhere}: `)
  })

  it('are read once', async () => {
    const path = await write('webhook/metadata.json', { label: 'Callback' })
    const registry = open()
    await rm(path)

    expect(registry.get('webhook')?.document.label).toBe('Callback')
  })
})
