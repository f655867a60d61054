const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * JSON text with one member a line. Only white space changes: numbers and escapes stay as they were
 * sent, which parsing and writing again would not promise. Any other text comes back as it is.
 */
export function prettyJson(text: string): string {
  if (!isJson(text)) return text
  let pretty = ''
  let depth = 0
  let before = ''
  for (const [token] of text.matchAll(TOKEN)) {
    const isEnd = token === '}' || token === ']'
    if (isEnd) depth--
    const isFirst = before === '{' || before === '['
    // An empty object or array stays on its line.
    if (isEnd ? !isFirst : isFirst || before === ',') pretty += `\n${'  '.repeat(depth)}`
    pretty += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth++
    before = token
  }
  return pretty
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Not JSON, which is an answer and no fault.
    return false
  }
}
