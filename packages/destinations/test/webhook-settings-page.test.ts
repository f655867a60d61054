import { readFileSync } from 'node:fs'
import { createSigner } from '../src/webhook/signer.ts'
import { DATA, webhookDestination, webhookSettings } from './factories.ts'

const PAGE = readFileSync(new URL('../../../docs/webhook-settings.md', import.meta.url), 'utf8')
const EXAMPLE = /CONTENT_TEMPLATE='(.+)'\n.+HEADER_TEMPLATE='(.+)'/g
const EXAMPLES = [...PAGE.matchAll(EXAMPLE)].map(([, content = '', header = '']) => ({
  signatureContentTemplate: content,
  signatureHeaderTemplate: header,
}))

describe('docs/webhook-settings.md', () => {
  it('has templates that make what it says', () => {
    const headers = EXAMPLES.map((templates) =>
      createSigner(webhookSettings(templates)).prepare(webhookDestination('https://example.com'))({
        eventId: 'evt_1',
        topic: 'user.created',
        timeMs: 1_700_000_000_000,
        timestamp: '1700000000',
        body: DATA,
        nowMs: 1_700_000_000_000,
      }),
    )

    expect(headers).toEqual([
      expect.stringMatching(/^t=1700000000,v0=[0-9a-f]{64}$/),
      expect.stringMatching(/^t=1700000000,v1=[0-9a-f]{64}$/),
      expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      expect.stringMatching(/^v0=[0-9a-f]{64}$/),
    ])
  })
})
