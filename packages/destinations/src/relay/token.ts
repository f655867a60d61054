/** What the token of a source says. */
export interface SourceToken {
  readonly sourceId: string
}

const CONTENT = /^([A-Za-z0-9_-]{1,128}):[\x21-\x7e]+$/

/** Null: the text is not base64 of `<source id>:<key>`. Padding may be missing. */
export function parseToken(text: string): SourceToken | null {
  const bytes = Buffer.from(text, 'base64')
  // `Buffer.from` skips what is not base64; a token that it changes is none.
  if (withoutPadding(bytes.toString('base64')) !== withoutPadding(text)) return null
  const [, sourceId] = CONTENT.exec(bytes.toString('latin1')) ?? []
  return sourceId === undefined ? null : { sourceId }
}

function withoutPadding(text: string): string {
  return text.replace(/={1,2}$/, '')
}
