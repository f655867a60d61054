import type { Config, Settings, Urls } from './config.ts'

/** Settings as the start-up log may hold them. */
export interface MaskedSummary extends Config {
  readonly secrets: Readonly<
    Record<'apiKeys' | 'jwtSecret' | 'encryptionSecrets', { readonly configured: boolean }>
  >
  readonly urls: Urls
}

/** The whole configuration without a secret: of those, only whether they are there. */
export function maskedSummary({ config, secrets, urls }: Settings): MaskedSummary {
  return {
    ...config,
    secrets: {
      apiKeys: { configured: secrets.apiKeys.length > 0 },
      jwtSecret: { configured: secrets.jwtSecret !== '' },
      encryptionSecrets: { configured: secrets.encryptionSecrets.length > 0 },
    },
    urls: {
      postgres: withoutPassword(urls.postgres),
      rabbitmq: withoutPassword(urls.rabbitmq),
      redis: withoutPassword(urls.redis),
      webhookProxy: withoutPassword(urls.webhookProxy),
    },
  }
}

/** The query goes too: drivers take passwords and keys there as well. */
function withoutPassword(text: string | null): string | null {
  if (text === null) return null
  const url = new URL(text)
  url.password = ''
  url.search = ''
  url.hash = ''
  return url.href
}
