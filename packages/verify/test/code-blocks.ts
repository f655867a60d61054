import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../..', import.meta.url)

/** The blocks of one language in a Markdown file, in their order. */
export function codeBlocks(path: string, language: string): readonly string[] {
  const text = readFileSync(fileURLToPath(new URL(path, ROOT)), 'utf8')
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))
  return [...blocks].map(([, block = '']) => block)
}

/** Runs a block as a module of its own and returns what it exports. */
export async function runModule(source: string): Promise<object> {
  // Among the tests, because modules are looked for from where the importing file is.
  const directory = mkdtempSync(fileURLToPath(new URL('.example-', import.meta.url)))
  try {
    const path = join(directory, 'example.mjs')
    writeFileSync(path, source)
    return (await import(path)) as object
  } finally {
    rmSync(directory, { recursive: true })
  }
}
