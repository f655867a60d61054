/**
 * Preloaded into a service by `--import`: at its end, writes the URLs of all scripts that its engine has
 * parsed, one a line, to the file that its own URL names (`?to=…`).
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'

const path = new URL(import.meta.url).searchParams.get('to')
const urls = new Set()
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => urls.add(params.url))
session.post('Debugger.enable')
process.on('exit', () => {
  if (path !== null) writeFileSync(path, [...urls].join('\n'))
})
