import { createCloudBBusType } from '../src/cloud-b-bus/cloud-b-bus-type.ts'
import { sendRequest, webhookDestination } from './factories.ts'
import { describeGuard, type GuardedType } from './guard-battery.ts'
import { credentialFaults } from './samples.ts'

const KEY = 'SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0PQ=='

function guarded(rest: string): GuardedType {
  const textOf = (place: string): string => `Endpoint=sb://${place}/;${KEY}${rest}`
  return {
    async send(guard, place) {
      const sender = createCloudBBusType(guard, 5000).createSender()
      const destination = webhookDestination('', {
        type: 'cloud_b_bus',
        config: { name: 'orders' },
        credentials: { connection_string: textOf(place) },
      })
      try {
        return await sender.send(sendRequest(destination))
      } finally {
        await sender.stop()
      }
    },
    faults: (place) => credentialFaults('cloud_b_bus', { connection_string: textOf(place) }),
  }
}

describeGuard('cloud_b_bus', guarded(''))
describeGuard('cloud_b_bus without TLS', guarded(';UseDevelopmentEmulator=true'))
