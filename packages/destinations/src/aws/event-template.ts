import type { SendRequest, SendResult } from '../destination-type.ts'
import { eventMetadata } from '../event-metadata.ts'
import { refused } from '../send-result.ts'
import type { TemplateRoots } from '../templates/check-expression.ts'
import {
  compileTemplate,
  type Template,
  TemplateError,
  type TemplateInput,
} from '../templates/template.ts'

/** A template as it was stored: null when there is none, undefined when it is no longer one that may be. */
export function savedTemplate(
  text: string | undefined,
  roots: TemplateRoots,
): Template | null | undefined {
  if (text === undefined) return null
  try {
    return compileTemplate(text, roots)
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

/** A text for an event, or why there is none. */
export type RenderedText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly result: SendResult }

/**
 * What a template makes of an event: over its data and its metadata, and what else there is.
 *
 * @param fallback - stands in when the event does not have what the template names, or without a template
 */
export function renderForEvent(
  template: Template | null,
  request: SendRequest,
  { fallback, more = {} }: { readonly fallback: string; readonly more?: TemplateInput },
): RenderedText {
  if (template === null) return { kind: 'text', text: fallback }
  try {
    const data = JSON.parse(request.data.toString('utf8')) as TemplateInput
    const text = template.render({ ...more, data, metadata: eventMetadata(request) })
    return { kind: 'text', text: text ?? fallback }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { kind: 'refused', result: refused('unsendable', `The template ${error.message}.`) }
  }
}
