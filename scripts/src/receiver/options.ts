import { parseArgs } from 'node:util'

export interface ReceiverOptions {
  readonly port: number
  /** Empty: signatures are not checked. */
  readonly secrets: readonly string[]
}

/** The arguments cannot be used; the message says why, in one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const USAGE = 'usage: npm run receiver [-- --port 4000 --secret whsec_… [--secret …]]'

/** @throws {UsageError} */
export function readReceiverOptions(args: readonly string[]): ReceiverOptions {
  const { port, secret } = parse(args)
  const number = Number(port)
  if (!/^\d+$/.test(port) || number > 65_535) {
    throw new UsageError(`--port must be a number up to 65535, not ${JSON.stringify(port)}`)
  }
  if (secret.includes('')) throw new UsageError('--secret must not be empty')
  return { port: number, secrets: secret }
}

function parse(args: readonly string[]): { readonly port: string; readonly secret: string[] } {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '4000' },
        secret: { type: 'string', multiple: true, default: [] },
      },
    }).values
  } catch (error) {
    // Node explains itself over several sentences; the first says what is wrong.
    const [reason = ''] = (error as Error).message.split(/\.\s|\n/)
    throw new UsageError(`${reason}; ${USAGE}`, { cause: error })
  }
}
