import { ask } from '../ask.ts'

/** Any client's first words, and how a broker's answer begins: a method frame on channel 0. */
const PROTOCOL_HEADER = 'AMQP\u0000\u0000\u0009\u0001'
const METHOD_FRAME = '\u0001\u0000\u0000'

/** Whether a broker greets clients on this port. It does so last, after users and vhosts are there. */
export async function isRabbitMqServing(port: number): Promise<boolean> {
  return (await ask(port, PROTOCOL_HEADER, METHOD_FRAME.length)) === METHOD_FRAME
}
