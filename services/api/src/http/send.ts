import type { Response } from 'express'
import { JsonText } from './json-text.ts'

/** Answers with JSON. Written by hand: express' own `json` costs more than all the rest of it. */
export function send(res: Response, status: number, body: unknown): void {
  const text = body instanceof JsonText ? body.text : JSON.stringify(body)
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  res.end(text)
}
