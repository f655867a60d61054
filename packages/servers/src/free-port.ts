import { once } from 'node:events'
import { createServer } from 'node:net'
import { ServerError } from './server-error.ts'

/**
 * A loopback port nobody listens on. It may be taken again before it is used: whoever binds it must be
 * ready to ask for another one.
 */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') {
    throw new ServerError('The system gave no free port on 127.0.0.1.')
  }
  return address.port
}
