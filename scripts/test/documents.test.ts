import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configurationReference } from '@postrider/config'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

const DOCUMENTS = [
  ...readdirSync(ROOT),
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'))

/** The first group of every match of a pattern. */
function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group = '']) => group)
}

/** A heading as its anchor, the way GitHub writes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function hasTarget(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const path = file === '' ? from : join(dirname(from), file)
  if (!existsSync(join(ROOT, path))) return false
  return (
    anchor === undefined ||
    all(read(path), /^#+ (.+)$/gm)
      .map(anchorOf)
      .includes(anchor)
  )
}

describe.each(DOCUMENTS)('%s', (document) => {
  const text = read(document)

  it('links to what is there', () => {
    const links = all(text, /\]\(([^)\s]+)\)/g).filter((link) => !/^\w+:/.test(link))
    expect(links.filter((link) => !hasTarget(document, link))).toEqual([])
  })

  it('names commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const commands = all(text, /\bnpm run ([\w:-]+)/g)
    expect(commands.filter((name) => scripts[name] === undefined)).toEqual([])
    // What is compiled is there only after a build; its source always is.
    const modules = all(text, /\bnode ([\w/.-]+\/dist\/[\w/-]+)\.js/g)
    const sources = modules.map((module) => `${module.replace('/dist/', '/src/')}.ts`)
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
  })

  it('names settings that exist', () => {
    const settings = all(configurationReference(), /^\| `([A-Z0-9_]+)`/gm)
    const ofCompose = all(read('docker-compose.yml'), /\$\{([A-Z0-9_]+)/g)
    // Node's own.
    const ofNode = ['NODE_EXTRA_CA_CERTS']
    const known = new Set([...settings, ...ofCompose, ...ofNode])
    const named = all(text, /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })
})

describe('docs/errors.md', () => {
  const codes = new Set(all(read('docs/errors.md'), /^\| `(\w+)`/gm))

  it.each([
    ['error codes', 'services/api/src/http/errors.ts', /^ {2}(\w+): \d{3},$/gm],
    ['reasons', 'packages/common/src/delivery.ts', /^ {2}\| '(\w+)'$/gm],
    ['attempt codes', 'packages/destinations/src/failure-code.ts', /^ {2}\| '(\w+)'$/gm],
  ])('has all %s', (_, source, pattern) => {
    const used = all(read(source), pattern)
    expect(used.length).toBeGreaterThan(5)
    expect(used.filter((code) => !codes.has(code))).toEqual([])
  })

  it('has all codes that a sender names', () => {
    const folder = 'packages/destinations/src'
    const sources = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter(
      (path) => /^(?!.*\.test\.ts$).*\.ts$/.test(path),
    )
    // By what makes a result of them, and by how they end where they stand in tables.
    const named =
      /(?:failed|succeeded|refused|FailureError)\('(\w+)'|'(\w+_(?:error|found|failed|denied|region|large|exceeded|yet))'/g
    const used = sources.flatMap((path) =>
      Array.from(read(`${folder}/${path}`).matchAll(named), ([, made, listed]) => made ?? listed),
    )
    expect(used.length).toBeGreaterThan(50)
    expect(used.filter((code) => !codes.has(code ?? ''))).toEqual([])
  })
})

describe('ARCHITECTURE.md', () => {
  it('says why there is each dependency of what runs', () => {
    const rooms = ['packages', 'services'].flatMap((house) =>
      readdirSync(join(ROOT, house)).map((room) => `${house}/${room}`),
    )
    const names = rooms.flatMap((room) => {
      const { dependencies } = JSON.parse(read(`${room}/package.json`)) as {
        dependencies?: Record<string, string>
      }
      return Object.keys(dependencies ?? {}).filter((name) => !name.startsWith('@postrider/'))
    })
    const text = read('ARCHITECTURE.md')
    const [, table = ''] = text.split('## Dependencies')
    expect(
      names.filter(
        (name) =>
          !all(table, /^\| (.+?) +\|/gm)
            .join()
            .includes(name),
      ),
    ).toEqual([])
  })
})
