import type { StringMap } from '@postrider/common'
import { isReservedHeader } from '../http/reserved-headers.ts'

const MAX_HEADERS = 32
const MAX_VALUE_BYTES = 4096
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const VALUE = /^[\x20-\x7e]*$/

/** The headers in `config.custom_headers`; none when it is absent. */
export function readCustomHeaders(config: StringMap): StringMap {
  const text = config['custom_headers']
  // The text passed validation as a JSON object of strings.
  return text === undefined ? {} : (JSON.parse(text) as StringMap)
}

/** Whether a custom header may have this name, reserved ones aside. */
export function isHeaderName(name: string): boolean {
  return NAME.test(name)
}

/** Faults of custom headers, each a sentence that starts with its path. */
export function customHeaderFaults(headers: StringMap, headerPrefix: string): readonly string[] {
  const faults: string[] = []
  const names = Object.keys(headers)
  if (names.length > MAX_HEADERS) {
    faults.push(`config.custom_headers must have at most ${MAX_HEADERS} headers`)
  }
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const path = `config.custom_headers.${name}`
    const lower = name.toLowerCase()
    if (!isHeaderName(name)) {
      faults.push(
        `${path} must start with a letter or digit and contain only letters, digits, underscore and hyphen`,
      )
    } else if (isReservedHeader(lower, headerPrefix)) {
      faults.push(`${path} is reserved`)
    } else if (seen.has(lower)) {
      faults.push(`${path} is given twice: header names do not differ by case`)
    }
    seen.add(lower)
    if (!VALUE.test(value)) {
      faults.push(`${path} must contain only visible ASCII characters and spaces`)
    } else if (value.length > MAX_VALUE_BYTES) {
      faults.push(`${path} must be at most ${MAX_VALUE_BYTES} bytes long`)
    }
  }
  return faults
}
