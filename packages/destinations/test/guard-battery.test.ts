import type { DeliveryDestination } from '@postrider/common'
import { BrokerQueueSender } from '../src/broker-queue/sender.ts'
import type { Sender, SendResult } from '../src/destination-type.ts'
import { RelaySender } from '../src/relay/sender.ts'
import { failed } from '../src/send-result.ts'
import { sendRequest, SILENT_LOG, webhookDestination, webhookSender } from './factories.ts'
import { describeGuard } from './guard-battery.ts'
import { configFaults } from './samples.ts'

const TIMEOUT_MS = 5000

async function sendOnce(sender: Sender, destination: DeliveryDestination): Promise<SendResult> {
  try {
    return await sender.send(sendRequest(destination, { timeoutMs: TIMEOUT_MS }))
  } finally {
    await sender.stop()
  }
}

describeGuard('webhook', {
  send: (guard, place) =>
    sendOnce(webhookSender({ guard }), webhookDestination(`http://${place}/hooks`)),
  faults: (place) => configFaults('webhook', { url: `http://${place}/hooks` }),
})

describeGuard('webhook over TLS', {
  send: (guard, place) =>
    sendOnce(webhookSender({ guard }), webhookDestination(`https://${place}/hooks`)),
  faults: null,
})

describeGuard('broker_queue', {
  send: (guard, place) =>
    sendOnce(
      new BrokerQueueSender({ guard, openTimeoutMs: TIMEOUT_MS }),
      webhookDestination('', {
        type: 'broker_queue',
        config: { server_url: place, exchange: 'events' },
        credentials: { username: 'guest', password: 'guest' },
      }),
    ),
  faults: (place) => configFaults('broker_queue', { server_url: place }),
})

// The operator writes the gateway's URL, which has to be one for us to start; the guard holds all the same.
describeGuard('relay', {
  send: async (guard, place) => {
    const url = `http://${place}/{id}`
    if (!URL.canParse(url)) return failed('unsendable')
    const sender = new RelaySender({
      url,
      headerPrefix: 'x-service-',
      userAgent: 'postrider/test',
      guard,
      connectTimeoutMs: TIMEOUT_MS,
      maxBodyBytes: 1024,
      log: SILENT_LOG,
    })
    const token = Buffer.from('src_1:key').toString('base64')
    return sendOnce(sender, webhookDestination('', { type: 'relay', credentials: { token } }))
  },
  faults: null,
})
