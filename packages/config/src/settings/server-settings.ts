import { text } from '../kinds.ts'
import { accepted, type Parsed, refused, type Setting } from '../setting.ts'

export const serverSettings = {
  postgres: serverUrl(
    'POSTGRES_URL',
    'The system of record; standalone without it runs an embedded PostgreSQL',
    ['postgres', 'postgresql'],
  ),
  rabbitmq: serverUrl(
    'RABBITMQ_URL',
    'The job queue of api and delivery; standalone has its own and leaves this aside',
    ['amqp', 'amqps'],
  ),
  redis: serverUrl(
    'REDIS_URL',
    'The shared state of api and delivery; standalone has its own and leaves this aside',
    ['redis', 'rediss'],
  ),
} as const

function serverUrl(name: string, line: string, schemes: readonly string[]): Setting<string | null> {
  const forms = schemes.map((scheme) => `${scheme}://`).join(' or ')
  return text<string, null>({
    name,
    line,
    accepts: schemes.map((scheme) => `\`${scheme}://…\``).join(' or '),
    fallback: null,
    parse: (url) => parseUrl(url, forms),
  })
}

/** The problem never repeats the URL: it may hold a password. */
function parseUrl(url: string, forms: string): Parsed<string> {
  const scheme = /^[a-z]+:\/\//.exec(url)?.[0]
  if (scheme === undefined || !forms.split(' or ').includes(scheme)) {
    return refused(`must be a URL that begins with ${forms}`)
  }
  return URL.canParse(url)
    ? accepted(url)
    : refused('must be a URL; in a password, / ? # @ : and % must be percent-encoded')
}
