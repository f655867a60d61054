import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** A server that does this with every connection, and reads what comes. */
export function tcpServer(onConnection: (socket: Socket) => void): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined)
    socket.resume()
    onConnection(socket)
  })
}

/** Has a server listen, on loopback unless the host is another; resolves with its port. */
export async function listening(
  server: Pick<Server, 'listen' | 'address' | keyof NodeJS.EventEmitter>,
  host = '127.0.0.1',
): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  // A server that listens on a port has an AddressInfo; the other forms are for pipes.
  const { port } = server.address() as AddressInfo
  return port
}
