import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { configurationReference, type Mode, readSettings } from '@postrider/config'
import { parse } from 'yaml'

interface ComposeService {
  readonly build?: { readonly dockerfile: string; readonly target: string }
  readonly environment?: Readonly<Record<string, string | number>>
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: readonly string[] }
}

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const dockerfile = readFileSync(root('deploy/Dockerfile'), 'utf8')
const compose = parse(readFileSync(root('docker-compose.yml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>
}
const ours = Object.entries(compose.services).filter(([, service]) => service.build !== undefined)
const knownVariables = new Set(
  Array.from(configurationReference().matchAll(/^\| `([A-Z_]+)`/gm), ([, name]) => name),
)

/** The environment of a service as compose fills it in, with one value for everything that must be given. */
function filledIn(service: ComposeService): Record<string, string> {
  const secret = 'a'.repeat(64)
  return Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([name, value]) => [
      name,
      String(value).replaceAll(
        /\$\{\w+:(?:\?[^}]*|-([^}]*))\}/g,
        (_, preset?: string) => preset ?? secret,
      ),
    ]),
  )
}

describe('docker-compose.yml', () => {
  it('starts the distributed set', () => {
    expect(Object.keys(compose.services).toSorted()).toEqual(
      ['api', 'delivery', 'migrate', 'postgres', 'rabbitmq', 'redis'].toSorted(),
    )
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'api', 'delivery'])
  })

  it.each(ours)('sets only variables that Postrider knows (%s)', (_, service) => {
    const variables = Object.keys(service.environment ?? {})

    expect(knownVariables.size).toBeGreaterThan(20)
    expect(variables.filter((name) => !knownVariables.has(name))).toEqual([])
  })

  it.each(ours)('gives %s settings that it starts with', (name, service) => {
    expect(() => readSettings(filledIn(service), { mode: name as Mode })).not.toThrow()
  })

  it('lets operators set everything else, for api and deliverers alike', () => {
    const files = [{ path: 'postrider.env', required: false }]

    expect(compose.services['api']?.env_file).toEqual(files)
    expect(compose.services['delivery']?.env_file).toEqual(files)
  })

  it('waits for the migration and for the servers', () => {
    const waits = {
      migrate: { condition: 'service_completed_successfully' },
      rabbitmq: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    }

    expect(compose.services['api']?.depends_on).toEqual(waits)
    expect(compose.services['delivery']?.depends_on).toEqual(waits)
    expect(compose.services['migrate']?.depends_on).toEqual({
      postgres: { condition: 'service_healthy' },
    })
  })

  it('asks everything that runs on whether it is healthy', () => {
    const lasting = Object.entries(compose.services).filter(([name]) => name !== 'migrate')

    expect(lasting.filter(([, service]) => service.healthcheck === undefined)).toEqual([])
  })

  it.each(ours)('builds a stage of the Dockerfile that exists (%s)', (_, service) => {
    expect(service.build?.dockerfile).toBe('deploy/Dockerfile')
    expect(dockerfile).toMatch(new RegExp(`^FROM \\S+ AS ${service.build?.target}$`, 'm'))
  })
})

describe('deploy/Dockerfile', () => {
  it('copies only paths that exist', () => {
    const copied = Array.from(
      dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm),
      ([, paths = '']) => paths.split(' '),
    ).flat()

    expect(copied).toContain('pnpm-lock.yaml')
    expect(copied.filter((path) => !existsSync(root(path)))).toEqual([])
  })

  it('uses the pnpm of the repository', () => {
    const { packageManager } = JSON.parse(readFileSync(root('package.json'), 'utf8')) as {
      packageManager: string
    }

    expect(dockerfile).toContain(`npm install --global ${packageManager}\n`)
  })

  it('starts entry points that exist, and never as root', () => {
    const stages = dockerfile.split(/^FROM /m).slice(2)
    const entryPoints = Array.from(dockerfile.matchAll(/^CMD \["node", "dist\/(.+)\.js"\]$/gm))

    expect(entryPoints).toHaveLength(4)
    expect(stages[0]).toMatch(/^USER node$/m)
    expect(
      stages.filter((stage) => /^USER root$/m.test(stage) && !/USER node\n[^]*CMD/.test(stage)),
    ).toEqual([])
    for (const path of [
      'api/src/main.ts',
      'api/src/migrate.ts',
      'delivery/src/main.ts',
      'standalone/src/main.ts',
    ]) {
      expect(existsSync(root(`services/${path}`))).toBe(true)
    }
  })
})
