// An endpoint to try Postrider with: prints every webhook that arrives, and verifies its signature.
import { describeRequest } from './receiver/describe-request.ts'
import { listen } from './receiver/listen.ts'
import { readReceiverOptions } from './receiver/options.ts'
import { verdictOn } from './receiver/signature.ts'

try {
  const { port, secrets } = readReceiverOptions(process.argv.slice(2))
  const listener = await listen({
    port,
    onRequest: async (request) => {
      console.log(describeRequest(request, await verdictOn(request, secrets)))
      return 200
    },
  })
  const checks =
    secrets.length === 0
      ? 'no secret given (--secret …): signatures are not checked'
      : `signatures are checked with ${secrets.length === 1 ? 'the secret' : `${secrets.length} secrets`} given`
  console.log(`receiver: listening on ${listener.url}/; ${checks}\n`)
  // Without a listener the process ends by itself. n.b. a terminal and npm both send the signal.
  const stop = (): void => void listener.stop() // Never rejects.
  process.on('SIGINT', stop).on('SIGTERM', stop)
} catch (error) {
  process.stderr.write(
    `receiver: ${reasonOf(error as NodeJS.ErrnoException & { port?: number })}\n`,
  )
  process.exitCode = 1
}

function reasonOf(error: NodeJS.ErrnoException & { port?: number }): string {
  const { code, port, message } = error
  if (code === 'EADDRINUSE') return `port ${port} is in use; choose another one with --port`
  if (code === 'EACCES')
    return `port ${port} is not for this user; choose one above 1023 with --port`
  return message
}
