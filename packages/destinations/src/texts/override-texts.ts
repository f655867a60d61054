import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DestinationType } from '../destination-type.ts'
import { isError } from '../is-error.ts'
import { documentWithTexts } from './document-with-texts.ts'

/**
 * The types with the texts that an operator has put into a directory: `<type>/metadata.json` has labels,
 * descriptions and icon, in the shape of the type's document, and `<type>/instructions.md` the
 * instructions. What a type does stays what it is.
 *
 * @throws {Error} With the setting and the path of what cannot be read, is no text, or belongs to no type
 */
export function overrideTexts(
  types: readonly DestinationType[],
  directory: string,
): readonly DestinationType[] {
  const names = new Set(types.map((type) => type.document.type))
  const strange = directoriesIn(directory).find((name) => !names.has(name))
  if (strange !== undefined) {
    throw refusal(join(directory, strange), 'there is no destination type of this name')
  }
  return types.map((type) => {
    const metadataPath = join(directory, type.document.type, 'metadata.json')
    const metadata = readText(metadataPath)
    const instructions = readText(join(directory, type.document.type, 'instructions.md'))
    const document =
      metadata === null
        ? type.document
        : naming(metadataPath, () => documentWithTexts(type.document, JSON.parse(metadata)))
    return { ...type, document: instructions === null ? document : { ...document, instructions } }
  })
}

/** Those whose names begin with a dot belong to version control, or to mounted volumes. */
function directoriesIn(directory: string): string[] {
  return naming(directory, () => readdirSync(directory)).filter(
    (name) => !name.startsWith('.') && statSync(join(directory, name)).isDirectory(),
  )
}

/** Null: there is no such file. */
function readText(path: string): string | null {
  return existsSync(path) ? naming(path, () => readFileSync(path, 'utf8')) : null
}

function naming<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    const reason = isError(error) ? error.message : String(error)
    throw refusal(path, reason, error)
  }
}

function refusal(path: string, reason: string, cause?: unknown): Error {
  return new Error(`DESTINATIONS_METADATA_PATH: ${path}: ${reason}`, { cause })
}
