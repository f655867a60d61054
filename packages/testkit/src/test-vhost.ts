import { type ChannelModel, connect } from 'amqplib'
import { testServerUrl, workerNumber } from './test-urls.ts'

export interface TestVhost extends AsyncDisposable {
  /** Of the vhost; goes where a RABBITMQ_URL goes. */
  readonly url: string
}

/** As many as `scripts/services` makes: test-1, test-2, … */
const VHOSTS = 16
/** Exclusive to the connection that declared it: whoever has it has the vhost, until its end or death. */
const CLAIM_QUEUE = 'claimed-by-a-test'
const QUEUES = ['deliveries.v1.fresh', 'deliveries.v1.retry', 'deliveries.v1.dead']
const RESOURCE_LOCKED = 405

/**
 * A vhost of RABBITMQ_URL that no other test has, with none of our queues in it. Given back when
 * disposed, and also when the process dies.
 */
export async function testVhost(): Promise<TestVhost> {
  const serverUrl = testServerUrl('RABBITMQ_URL')
  for (let tries = 0; tries < VHOSTS; tries++) {
    const url = new URL(serverUrl)
    url.pathname = `/test-${((workerNumber() - 1 + tries) % VHOSTS) + 1}`
    const claim = await claimVhost(url.href)
    if (claim !== null) {
      return { url: url.href, [Symbol.asyncDispose]: async () => claim.close() }
    }
  }
  throw new Error(`All ${VHOSTS} vhosts for tests are taken: dispose those that are done.`)
}

/** The connection that holds the vhost, or null when another test has it. */
async function claimVhost(url: string): Promise<ChannelModel | null> {
  const connection = await connect(url)
  // The answers below are what counts; without listeners these events would end the process.
  connection.on('error', () => {})
  try {
    const channel = await connection.createChannel()
    channel.on('error', () => {})
    await channel.assertQueue(CLAIM_QUEUE, { exclusive: true })
    for (const queue of QUEUES) await channel.deleteQueue(queue)
    return connection
  } catch (error) {
    await connection.close()
    if ((error as { code?: number }).code === RESOURCE_LOCKED) return null
    throw error
  }
}
