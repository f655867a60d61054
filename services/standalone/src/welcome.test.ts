import { execFileSync } from 'node:child_process'
import { welcome, type WelcomeOptions } from './welcome.ts'

const options: WelcomeOptions = {
  url: 'http://127.0.0.1:3333',
  apiKey: 'pr_key',
  topic: 'user.created',
  mode: 'default',
  opensLoopback: true,
  isHttpsOnly: false,
}

/** The commands of the steps, as a shell hands their arguments over when they are pasted in order. */
function pasted(text: string, env: Readonly<Record<string, string>> = {}): string[][] {
  const commands = text
    .split(/\n\n/)
    .filter((block) => /^ {5}(?:npm|curl) /.test(block))
    .join('\n')
  const script = `npm() { printf 'npm\\0'; printf '%s\\0' "$@"; echo; }
    curl() { printf 'curl\\0'; printf '%s\\0' "$@"; echo; }\n${commands}`
  const output = execFileSync('sh', ['-eu', '-c', script], { encoding: 'utf8', env })
  return output
    .trim()
    .split('\0\n')
    .map((line) => line.replace(/\0$/, '').split('\0'))
}

describe('what a start prints', () => {
  it('says where it answers, and the key that it made', () => {
    expect(welcome(options)).toMatch(/^\nPostrider answers on http:\S+:3333\nAPI key: pr_key\n/)
  })

  it('has the steps of a first delivery as commands that can be pasted into a shell', () => {
    const [receiver, tenant, destination, event, attempts] = pasted(welcome(options))
    const secret = receiver?.at(-1)
    expect(receiver).toEqual(['npm', 'run', 'receiver', '--', '--secret', secret])
    const head = ['curl', '-sS', '-w', String.raw`\n`, '-X']
    const api = 'http://127.0.0.1:3333/api/v1'
    const auth = ['-H', 'Authorization: Bearer pr_key']
    const json = ['-H', 'Content-Type: application/json', '-d']
    expect(tenant).toEqual([...head, 'PUT', `${api}/tenants/acme`, ...auth])
    expect(destination?.slice(0, -1)).toEqual([
      ...head,
      'POST',
      `${api}/tenants/acme/destinations`,
      ...auth,
      ...json,
    ])
    expect(JSON.parse(destination?.at(-1) ?? '')).toEqual({
      id: 'first',
      type: 'webhook',
      topics: ['*'],
      config: { url: 'http://127.0.0.1:4000/' },
      credentials: { secret },
    })
    expect(event?.slice(0, -1)).toEqual([...head, 'POST', `${api}/publish`, ...auth, ...json])
    expect(JSON.parse(event?.at(-1) ?? '')).toEqual({
      tenant_id: 'acme',
      topic: 'user.created',
      data: { hello: 'world' },
    })
    expect(attempts).toEqual([...head, 'GET', `${api}/attempts?tenant_id=acme`, ...auth])
  })

  it('has a secret of the form that standard mode asks for', () => {
    const [receiver, , destination] = pasted(welcome({ ...options, mode: 'standard' }))
    const secret = receiver?.at(-1) ?? ''
    expect(secret).toMatch(/^whsec_/)
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64').length).toBeGreaterThanOrEqual(24)
    expect(JSON.parse(destination?.at(-1) ?? '')).toMatchObject({ credentials: { secret } })
  })

  it('keeps a key that the user chose to itself, and takes it from the environment', () => {
    const text = welcome({ ...options, apiKey: null })
    expect(text).toContain('API key: the one that you set in API_KEY\n')
    const [, tenant] = pasted(text, { API_KEY: 'my-own-key' })
    expect(tenant).toContain('Authorization: Bearer my-own-key')
  })

  it('says how to take the steps where destinations on this machine are refused', () => {
    const setting = 'DESTINATIONS_ALLOWED_NETWORKS=127.0.0.0/8'
    expect(welcome({ ...options, opensLoopback: false })).toContain(setting)
    expect(welcome(options)).not.toContain(setting)
  })

  it('says how to take the steps where webhooks without TLS are refused', () => {
    const setting = 'start without DESTINATIONS_WEBHOOK_HTTPS_ONLY'
    expect(welcome({ ...options, isHttpsOnly: true })).toContain(setting)
    expect(welcome(options)).not.toContain(setting)
  })

  it('says that destinations may be on this machine where they may, and how to end that', () => {
    const sentence = 'Destinations may be on this machine.'
    expect(welcome(options)).toContain(`${sentence} In production they should not: DESTINATIONS_`)
    expect(welcome({ ...options, opensLoopback: false })).not.toContain(sentence)
  })
})
