import { type Answer, type ReceivedRequest, startReceiver } from '@postrider/testkit'
import type { Ledger } from '../ledger.ts'
import { hashOf } from '../plan.ts'
import { type Trouble, Troubles } from '../troubles.ts'
import type { GivenSettings, TypeServer } from '../type-server.ts'

const REFUSALS: readonly number[] = [400, 404, 429, 500, 502, 503]

/** Endpoints of webhooks, a path for each. */
export async function startWebhookReceiver(ledger: Ledger): Promise<TypeServer> {
  return startHttp('webhook', ledger, (url, id) => ({ config: { url: `${url}/${id}` } }))
}

/** An event gateway, with a source for each destination. */
export async function startGateway(ledger: Ledger): Promise<TypeServer> {
  return startHttp('relay', ledger, sourceSettings, (url) => ({
    DESTINATIONS_RELAY_URL: `${url}/{id}`,
  }))
}

function sourceSettings(_: string, id: string): GivenSettings {
  return { credentials: { token: Buffer.from(`${id}:key`).toString('base64') } }
}

async function startHttp(
  type: string,
  ledger: Ledger,
  settings: (url: string, id: string) => GivenSettings,
  env: (url: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<TypeServer> {
  const troubles = new Map<string, Troubles>()
  const receiver = await startReceiver({ answer: (request) => answer(request) })

  const answer = ({ path, eventId, body }: ReceivedRequest): Answer => {
    const id = path.slice(1)
    const ill = troubles.get(id)
    const trouble = ill?.next() ?? null
    const refusal = ill?.refusal(REFUSALS) ?? null
    const code = trouble === 'refuse' || trouble === 'refuse-some' ? String(refusal) : null
    const deed = deedOf(trouble)
    if (eventId === null) ledger.surprise(`a request to ${path} names no event`)
    else ledger.record(id, eventId, { deed, code, hash: hashOf(body) })
    return answerTo(trouble, refusal)
  }
  return {
    type,
    seesTries: true,
    env: env(receiver.url),
    async add({ id, isIll, random }) {
      if (isIll) troubles.set(id, new Troubles(random))
      return settings(receiver.url, id)
    },
    stop: async () => receiver.stop(),
  }
}

function deedOf(trouble: Trouble | null) {
  switch (trouble) {
    case null:
      return 'acknowledged'
    case 'refuse':
    case 'refuse-some':
      return 'refused'
    case 'cut':
    case 'hang':
      return 'silent'
    case 'take-and-cut':
    case 'take-and-hang':
      return 'lost'
  }
}

function answerTo(trouble: Trouble | null, refusal: number | null): Answer {
  switch (trouble) {
    case null:
      return {}
    case 'refuse':
    case 'refuse-some':
      return { status: refusal ?? 500 }
    case 'cut':
    case 'take-and-cut':
      return { fault: 'reset' }
    case 'hang':
    case 'take-and-hang':
      return { fault: 'hang' }
  }
}
