import type { DestinationType } from '../../src/destination-type.ts'
import type { AddressGuard } from '../../src/guard/address-guard.ts'
import { parseHostPort } from '../../src/host-port.ts'
import { addressFaults } from '../../src/url-faults.ts'
import { natsSubjectDocument, natsSubjectExample } from './document.ts'
import { NatsSubjectSender } from './sender.ts'

export function createNatsSubjectType(guard: AddressGuard): DestinationType {
  return {
    document: natsSubjectDocument,
    example: natsSubjectExample,
    // Only what the document cannot say: the settings have been held against it before.
    validate: ({ config }) => {
      const host = parseHostPort(config['server'] ?? '')
      return host === null
        ? ['config.server must be host or host:port']
        : addressFaults('config.server', host.url, guard)
    },
    target: ({ config }) => ({ target: config['subject'] ?? '', targetUrl: null }),
    createSender: () => new NatsSubjectSender(guard),
  }
}
