/** What holds for all operations; the description of the document, in Markdown. */
export const INTRODUCTION = `Takes a platform's events and delivers them to the destinations of its customers.

**Authentication.** Every request carries \`Authorization: Bearer <key>\`: one of the administrator's keys,
or the token of a tenant, which opens what concerns that tenant alone. Operations that everybody may call are
marked as such.

**Requests.** Bodies are JSON in UTF-8, of Content-Type \`application/json\` (or \`application/…+json\`),
optionally with \`Content-Encoding: gzip\`. Unknown members and unknown query parameters are refused. A query
parameter that is an array may be repeated, also as \`topic[]=a\` or \`topic[0]=a\`. An \`x-request-id\` of 1 to
128 of A-Z a-z 0-9 . _ - is given back; without one the answer has a new one.

**Errors.** Every error has the body \`Error\`. Refusals come in one order: path and method (404, 405),
authentication (401, 403), media type, size and JSON (415, 413, 400), validation (422, all faults at once),
existence (404), state (409). A known path asked with another method is answered with 405
\`method_not_allowed\` and \`Allow\`; \`HEAD\` is answered wherever there is \`GET\`.

**Lists.** Walk \`pagination.next\` (or \`prev\`) until it is null. Cursors are opaque and belong to one list in
one direction. A page may be short, even empty, and yet have a \`next\`.`
