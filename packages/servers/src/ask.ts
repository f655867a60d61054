import { createConnection } from 'node:net'

const ANSWER_TIMEOUT_MS = 1000

/**
 * Sends a question to a loopback port and returns the first bytes of the answer, or '' when nobody
 * answers so much within a second: enough to tell a server that serves from a port that is open.
 */
export async function ask(port: number, question: string, answerBytes: number): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = createConnection({ host: '127.0.0.1', port })
    socket.setEncoding('latin1')
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy())
    socket.on('connect', () => socket.write(question))
    socket.on('data', (chunk: string) => {
      answer += chunk
      if (answer.length >= answerBytes) socket.destroy()
    })
    socket.on('error', () => {}) // 'close' follows and answers
    socket.on('close', () =>
      resolve(answer.length >= answerBytes ? answer.slice(0, answerBytes) : ''),
    )
  })
}
