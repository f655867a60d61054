import { parseArgs } from 'node:util'

/** A Postrider that runs already. */
export interface GivenPostrider {
  readonly url: string
  readonly apiKey: string
}

const USAGE = 'usage: npm run demo [-- --url http://127.0.0.1:3333 --key pr_…]'

/**
 * The Postrider to use; null: the demo starts its own.
 *
 * @throws {Error} With one line for the user
 */
export function readDemoOptions(args: readonly string[]): GivenPostrider | null {
  const { url, key } = parse(args)
  if (url === undefined && key === undefined) return null
  if (url === undefined || key === undefined) {
    throw new Error(`--url and --key belong together; ${USAGE}`)
  }
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new Error(`--url must be an http or https URL, not ${JSON.stringify(url)}`)
  }
  return { url: url.replace(/\/+$/, ''), apiKey: key }
}

function parse(args: readonly string[]): { url?: string | undefined; key?: string | undefined } {
  try {
    return parseArgs({
      args: [...args],
      options: { url: { type: 'string' }, key: { type: 'string' } },
    }).values
  } catch (error) {
    // Node explains itself over several sentences; the first says what is wrong.
    const [reason = ''] = (error as Error).message.split(/\.\s|\n/)
    throw new Error(`${reason}; ${USAGE}`, { cause: error })
  }
}
