import { ask } from '../ask.ts'

const PONG = '+PONG'

/** Whether a Redis answers on this port; while it loads its data it does not. */
export async function isRedisServing(port: number): Promise<boolean> {
  return (await ask(port, 'PING\r\n', PONG.length)) === PONG
}
