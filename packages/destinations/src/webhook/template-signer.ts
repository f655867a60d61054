import { createHmac } from 'node:crypto'
import { hmacKeys } from './hmac-keys.ts'
import type { WebhookSettings } from './settings.ts'
import {
  compileContentTemplate,
  compileHeaderTemplate,
  type ContentPart,
} from './signature-template/compile.ts'
import { TemplateError } from './signature-template/template-error.ts'
import type { Signer } from './signer.ts'

/** The documented defaults. Both of them together stand for the wire format below, not for themselves. */
const DEFAULTS = { content: '{{.Body}}', header: 'v0={{.Signatures | join ","}}' }
const WIRE_FORMAT = {
  content: '{{.Timestamp.Unix}}.{{.Body}}',
  header: 't={{.Timestamp.Unix}},v0={{.Signatures | join ","}}',
}

/** The operator's templates cannot be used. Each problem begins with a variable's name. */
class SignatureSettingsError extends Error {
  override readonly name = 'SignatureSettingsError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

/**
 * The signer of the default mode: an HMAC of the content template for each secret in force, written by
 * the header template. The HMAC key is the secret's text, whole, with its `whsec_`.
 *
 * @throws {SignatureSettingsError} With the faults of both templates
 */
export function createTemplateSigner(settings: WebhookSettings): Signer {
  const { content, header } = compiled(settings)
  const digest = settings.signatureAlgorithm.slice('hmac-'.length)
  const encoding = settings.signatureEncoding
  return {
    prepare(destination) {
      const keys = hmacKeys(destination, (secret) => Buffer.from(secret))
      return (message) => {
        const signatures: string[] = []
        for (const { key, invalidAtMs } of keys) {
          if (invalidAtMs <= message.nowMs) continue
          const hmac = createHmac(digest, key)
          for (const part of content) {
            hmac.update(part === 'body' ? message.body : part(message, signatures))
          }
          signatures.push(hmac.digest(encoding))
        }
        return header(message, signatures)
      }
    },
  }
}

function compiled(settings: WebhookSettings) {
  const given = {
    content: settings.signatureContentTemplate,
    header: settings.signatureHeaderTemplate,
  }
  const areDefault = given.content === DEFAULTS.content && given.header === DEFAULTS.header
  const templates = areDefault ? WIRE_FORMAT : given
  const problems: string[] = []
  const attempt = <T>(variable: string, template: string, compile: (text: string) => T) => {
    try {
      return compile(template)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      problems.push(`${variable} cannot be used ${error.message}`)
      return null
    }
  }
  const content = attempt<readonly ContentPart[]>(
    'DESTINATIONS_WEBHOOK_SIGNATURE_CONTENT_TEMPLATE',
    templates.content,
    compileContentTemplate,
  )
  const header = attempt(
    'DESTINATIONS_WEBHOOK_SIGNATURE_HEADER_TEMPLATE',
    templates.header,
    compileHeaderTemplate,
  )
  if (content === null || header === null) throw new SignatureSettingsError(problems)
  return { content, header }
}
