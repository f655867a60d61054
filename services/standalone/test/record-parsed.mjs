/**
 * Preloaded into a service by `--import`: at its end, writes the URLs of all scripts that its engine has
 * parsed, one a line, to the file that PARSED_SCRIPTS_PATH names.
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'

const path = process.env['PARSED_SCRIPTS_PATH']
const urls = new Set()
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => urls.add(params.url))
session.post('Debugger.enable')
process.on('exit', () => {
  if (path !== undefined) writeFileSync(path, [...urls].join('\n'))
})
