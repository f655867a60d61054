import { hash } from 'node:crypto'
import type { Request, Response } from 'express'
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

/** Answers with JSON that everybody may keep for so long; with 304 who has just that already. */
export function sendCacheable(
  req: Request,
  res: Response,
  { status, body, forSeconds }: { status: number; body: unknown; forSeconds: number },
): void {
  const text = new JsonText(JSON.stringify(body))
  res.setHeader('cache-control', `public, max-age=${forSeconds}`)
  res.setHeader('etag', `"${hash('sha256', text.text, 'base64url')}"`)
  if (req.fresh) res.writeHead(304).end()
  else send(res, status, text)
}
