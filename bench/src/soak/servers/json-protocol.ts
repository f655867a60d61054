import type { Call, CallAnswer } from './aws-call.ts'
import type { Refusal } from './fronted-call.ts'

/** The body of a call or an answer, read. */
export function parsed({ body }: { readonly body: Buffer }): unknown {
  return JSON.parse(body.toString())
}

/** The same call or answer with another body. */
export function withBody<C extends Call | CallAnswer>(carrier: C, value: unknown): C {
  return { ...carrier, body: Buffer.from(JSON.stringify(value)) }
}

export function jsonRefusal({ name, status }: Refusal): CallAnswer {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': 'a-refusal' },
    body: Buffer.from(JSON.stringify({ __type: name, message: 'as the soak wants it' })),
  }
}
