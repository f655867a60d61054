import { goString } from './go-string.ts'
import { TemplateError } from './template-error.ts'

/** A part of a template: text that is copied, or what stands between `{{` and `}}`. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly at: number }
  | { readonly kind: 'action'; readonly tokens: readonly Token[]; readonly at: number }

export type TokenKind = 'field' | 'word' | 'string' | '|' | '(' | ')' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** Of a field its name, of a string what it stands for, of others their source. */
  readonly text: string
  /** The index in the template. */
  readonly at: number
  /** White space, or the beginning of the action, is before it. */
  readonly isApart: boolean
}

const TOKEN =
  /(?<space>[ \t\r\n]+)|\.(?<field>[\p{L}\p{Nd}_]+)|(?<word>[\p{L}\p{Nd}_]+)|(?<string>"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`)|(?<mark>[|()])/uy

const BLANKS_BEFORE = /[ \t\r\n]+$/
const CLOSING = /\}\}|[ \t\r\n]+-\}\}[ \t\r\n]*/y

/**
 * Cuts a template into its pieces, as Go's text/template does: `{{- ` and ` -}}` take the white space
 * beside them away, comments are left out.
 *
 * @throws {TemplateError} When an action does not end, or has in it what no template may have
 */
export function scanTemplate(template: string): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (;;) {
    const open = template.indexOf('{{', at)
    const text = template.slice(at, open === -1 ? undefined : open)
    const isTrimmed = open !== -1 && /^-[ \t\r\n]/.test(template.slice(open + 2, open + 4))
    const kept = isTrimmed ? text.replace(BLANKS_BEFORE, '') : text
    if (kept !== '') pieces.push({ kind: 'text', text: kept, at })
    if (open === -1) return pieces
    const begin = open + (isTrimmed ? 4 : 2)
    if (template.startsWith('/*', begin)) {
      at = endOfComment(template, begin)
    } else {
      const { tokens, end } = scanAction(template, begin)
      pieces.push({ kind: 'action', tokens, at: open })
      at = end
    }
  }
}

function scanAction(template: string, begin: number): { tokens: Token[]; end: number } {
  const tokens: Token[] = []
  let at = begin
  let isApart = true
  for (;;) {
    const end = closingEnd(template, at)
    if (end !== null) {
      tokens.push({ kind: 'end', text: '}}', at, isApart })
      return { tokens, end }
    }
    TOKEN.lastIndex = at
    const match = TOKEN.exec(template)
    if (match === null) throw new TemplateError(template, at, oddity(template, at))
    const [source] = match
    const token = tokenOf(template, match)
    if (token !== null) tokens.push({ ...token, at, isApart })
    isApart = token === null
    at += source.length
  }
}

function tokenOf(template: string, match: RegExpExecArray): Pick<Token, 'kind' | 'text'> | null {
  const { field, word, string, mark } = match.groups ?? {}
  if (field !== undefined) return { kind: 'field', text: field }
  if (word !== undefined) return { kind: 'word', text: word }
  if (mark === '|' || mark === '(' || mark === ')') return { kind: mark, text: mark }
  if (string === undefined) return null
  const text = goString(string)
  if (text === null) {
    const problem = 'this is no string of Go: it has an unknown escape, or is not UTF-8'
    throw new TemplateError(template, match.index, problem)
  }
  return { kind: 'string', text }
}

/** Where the text goes on after a closing delimiter at this place; null when there is none. */
function closingEnd(template: string, at: number): number | null {
  CLOSING.lastIndex = at
  return CLOSING.test(template) ? CLOSING.lastIndex : null
}

function endOfComment(template: string, begin: number): number {
  const end = template.indexOf('*/', begin + 2)
  if (end === -1) throw new TemplateError(template, begin, 'the comment has no end')
  const close = closingEnd(template, end + 2)
  if (close === null) {
    throw new TemplateError(template, end + 2, 'a comment must end right before }} or " -}}"')
  }
  return close
}

function oddity(template: string, at: number): string {
  if (at >= template.length) return 'the action has no end: }} is missing'
  const [first = ''] = template.slice(at)
  if (first === '"' || first === '`') return 'the string has no end'
  return `unexpected ${JSON.stringify(first)}`
}
