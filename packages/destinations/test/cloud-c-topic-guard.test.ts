import { createCloudCTopicType } from '../src/cloud-c-topic/cloud-c-topic-type.ts'
import { sendRequest, webhookDestination } from './factories.ts'
import { describeGuard, type GuardedType } from './guard-battery.ts'
import { configFaults, settingsOf } from './samples.ts'

function guarded(scheme: string): GuardedType {
  const { config, credentials } = settingsOf('cloud_c_topic')
  const endpointOf = (place: string): string => `${scheme}${place}`
  return {
    async send(guard, place) {
      const sender = createCloudCTopicType(guard).createSender()
      const destination = webhookDestination('', {
        type: 'cloud_c_topic',
        config: { ...config, endpoint: endpointOf(place) },
        credentials,
      })
      try {
        return await sender.send(sendRequest(destination))
      } finally {
        await sender.stop()
      }
    },
    faults: (place) => configFaults('cloud_c_topic', { endpoint: endpointOf(place) }),
  }
}

describeGuard('cloud_c_topic', guarded(''))
describeGuard('cloud_c_topic over TLS', guarded('https://'))
