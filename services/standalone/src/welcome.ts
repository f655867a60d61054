/**
 * What a start prints: where it answers, the key, and the steps of a first delivery to copy.
 *
 * @param apiKey - shown because it was made here and the user has no other way to know it; null when
 *   the user set it
 */
export function welcome(options: {
  readonly url: string
  readonly apiKey: string | null
  readonly opensLoopback: boolean
}): string {
  const { url, apiKey, opensLoopback } = options
  const key = apiKey ?? '$API_KEY'
  const api = `${url}/api/v1`
  const call = (method: string, path: string, body?: string): string =>
    [
      `curl -sS -X ${method} ${api}${path}`,
      `-H 'Authorization: Bearer ${key}'`,
      ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${body}'`]),
    ].join(' \\\n       ')
  return `
Postrider answers on ${url}
API key: ${apiKey ?? 'the one in API_KEY'}
${opensLoopback ? 'Destinations on this machine (loopback) are allowed, because this is a local start.\n' : ''}
A first delivery, in another terminal:

  0. Listen:       npm run receiver
  1. A tenant:     ${call('PUT', '/tenants/acme')}
  2. Where to:     ${call('POST', '/tenants/acme/destinations', '{"type":"webhook","topics":["*"],"config":{"url":"http://127.0.0.1:4000/"}}')}
     (the answer holds credentials.secret: give it to the receiver, which then verifies)
  3. An event:     ${call('POST', '/publish', '{"tenant_id":"acme","topic":"user.created","data":{"hello":"world"}}')}
  4. What became of it:
                   ${call('GET', '/attempts?tenant_id=acme')}

Ctrl-C stops it; everything is kept for the next start.
`
}
