/**
 * Why a service cannot start, for a person: what is wrong and what to do, without a stack trace. An
 * error with a list of `problems` (a configuration) shows all of them: one in the same line, several
 * in lines of their own.
 */
export function explainStart(error: unknown): string {
  if (!(error instanceof Error)) return `Postrider cannot start: ${String(error)}`
  const { problems } = error as { problems?: unknown }
  if (Array.isArray(problems) && problems.length > 1) {
    return `Postrider cannot start:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`
  }
  return `Postrider cannot start: ${reason(error)}`
}

function reason(error: NodeJS.ErrnoException & { port?: number; address?: string }): string {
  const { code, syscall, port, address } = error
  if (syscall === 'listen' && code === 'EADDRINUSE') {
    return `port ${port} of ${address} is in use; stop what uses it, or set API_PORT (of a deliverer: DELIVERY_PORT) to another one`
  }
  if (syscall === 'listen' && code === 'EACCES') {
    return `port ${port} may not be opened by this user; set API_PORT (of a deliverer: DELIVERY_PORT) to one above 1023`
  }
  if (syscall === 'connect' || code === 'ENOTFOUND') {
    return `a server that it needs cannot be reached (${error.message}); is the URL right, is it up?`
  }
  return error.message
}
