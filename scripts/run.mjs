// The door of the repository: `npm start`, `npm test` and the other commands all come through here, in
// a clone that may have nothing but Node and npm. Brings the dependencies, compiles what the command
// needs, then runs it in this same process, so that signals and exit codes are its own. What is up to
// date is skipped without a word. Plain JavaScript, standard library only: it runs before there is
// anything else. Progress goes to stderr; stdout belongs to the command.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from './bootstrap/build.mjs'
import { runGate } from './bootstrap/gate.mjs'
import { installDependencies } from './bootstrap/install.mjs'
import { fail, root } from './bootstrap/process.mjs'

const OLDEST_NODE = [20, 19]

/** What a command compiles, and the module that it then is. */
const COMMANDS = {
  start: { project: 'services/standalone', module: 'services/standalone/dist/main.js' },
  migrate: { project: 'services/api', module: 'services/api/dist/migrate.js' },
  demo: { project: 'scripts', module: 'scripts/dist/demo.js' },
  receiver: { project: 'scripts', module: 'scripts/dist/receiver.js' },
  fuzz: { project: 'scripts', module: 'scripts/dist/fuzz.js' },
  'soak:types': { project: 'bench', module: 'bench/dist/soak/main.js' },
  bench: { project: 'bench', module: 'bench/dist/main.js' },
  'bench:guard': { project: 'bench', module: 'bench/dist/guard/main.js' },
  'bench:lists': { project: 'bench', module: 'bench/dist/lists/main.js' },
  'bench:types': { project: 'bench', module: 'bench/dist/rest/main.js' },
  // A project of its own: test servers must come up while other code does not compile.
  services: { project: 'scripts/tsconfig.services.json', module: 'scripts/dist/services.js' },
}

const [name = '', ...args] = process.argv.slice(2)
const command = COMMANDS[name]
if (command === undefined && name !== 'test') {
  fail(`Unknown command ${JSON.stringify(name)}: one of test, ${Object.keys(COMMANDS).join(', ')}.`)
}
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  fail(`Postrider needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.version}.`)
}

await installDependencies()
if (command === undefined) {
  process.exitCode = await runGate(args)
} else {
  if (!(await build(command.project))) fail('The code does not compile; see above.')
  const module = resolve(root, command.module)
  process.argv = [process.execPath, module, ...args]
  await import(pathToFileURL(module).href)
}
