import { randomUUID } from 'node:crypto'
import type { RequestHandler, Response } from 'express'

const HEADER = 'x-request-id'
const SANE = /^[A-Za-z0-9._-]{1,128}$/

/** Gives every answer the `x-request-id` of its request, or a new one when that is none or odd. */
export const requestIds: RequestHandler = (req, res, next) => {
  const given = req.headers[HEADER]
  res.setHeader(HEADER, typeof given === 'string' && SANE.test(given) ? given : randomUUID())
  next()
}

/** The id that `requestIds` gave. */
export function requestIdOf(res: Response): string {
  return String(res.getHeader(HEADER))
}
