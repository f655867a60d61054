import { cleanText } from '@postrider/common'

const MAX_LENGTH = 1024

/**
 * A text of an answer, as it may be kept; null when it is none. Whatever the SDKs' types say, it is what
 * the server has sent in that place: an object, a list in a list in a list, a text of a megabyte.
 */
export function answerText(value: unknown): string | null {
  return typeof value === 'string' ? cleanText(value.slice(0, MAX_LENGTH)) : null
}

/** The objects in a list of an answer, in their places; null where there is something else. */
export function answerList<T extends object>(
  value: readonly T[] | undefined,
): readonly (T | null)[] {
  if (!Array.isArray(value)) return []
  return (value as readonly T[]).map((each) =>
    typeof each === 'object' && each !== null ? each : null,
  )
}
