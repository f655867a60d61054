import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, root, run, say } from './process.mjs'

// Inside node_modules: whoever deletes that directory also deletes the claim that it is up to date.
const STAMP = join(root, 'node_modules', '.postrider-install')

/** Installs the locked dependencies unless this Node already did so for this lockfile. */
export async function installDependencies() {
  const wanted = await fingerprint()
  if ((await readFile(STAMP, 'utf8').catch(() => '')) === wanted) return
  const { packageManager } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  say(`installing dependencies with ${packageManager}`)
  const code = await npm([
    'exec',
    '--yes',
    `--package=${packageManager}`,
    '--',
    'pnpm',
    'install',
    '--frozen-lockfile',
    '--reporter=append-only',
    // Without a terminal pnpm would refuse to replace a node_modules of another pnpm.
    '--config.confirmModulesPurge=false',
  ])
  if (code !== 0) fail('The dependencies could not be installed; see above.')
  await writeFile(STAMP, wanted)
}

async function fingerprint() {
  const lockfile = await readFile(join(root, 'pnpm-lock.yaml'))
  const runtime = [process.version, process.platform, process.arch].join(' ')
  return createHash('sha256').update(lockfile).update(runtime).digest('hex')
}

/** The npm that called us, else the one on PATH. */
async function npm(args) {
  const script = process.env.npm_execpath
  const options = { stdout: 2 }
  return script === undefined || !script.endsWith('.js')
    ? run('npm', args, options)
    : run(process.execPath, [script, ...args], options)
}
