import type { StringMap } from '@postrider/common'
import type { TypeDocument } from './destination-type.ts'

// Of one length always, so that the length of what is masked does not leak.
const STARS = '********'
const SHOWN_FROM_LENGTH = 10
const SHOWN_CHARACTERS = 4

/**
 * Credentials as answers show them: sensitive fields masked (the first 4 characters when there are at
 * least 10, then a fixed number of stars), and nothing that is not a field of the document.
 */
export function maskCredentials(document: TypeDocument, credentials: StringMap): StringMap {
  const shown: Record<string, string> = {}
  for (const { key, sensitive } of document.credential_fields) {
    const value = credentials[key]
    if (value !== undefined) shown[key] = sensitive === true ? maskOf(value) : value
  }
  return shown
}

/** Whether a text is what answers show in place of this value: sent back, it means "keep". */
export function isMaskOf(text: string, value: string): boolean {
  return text === maskOf(value)
}

/**
 * Whether a text has the form of a mask. One that is not the mask of the stored value must be refused:
 * whoever sends it means a credential that is not the one he would overwrite.
 */
export function isMask(text: string): boolean {
  return (
    text.endsWith(STARS) &&
    (text.length === STARS.length || text.length === SHOWN_CHARACTERS + STARS.length)
  )
}

function maskOf(value: string): string {
  return value.length < SHOWN_FROM_LENGTH ? STARS : value.slice(0, SHOWN_CHARACTERS) + STARS
}
