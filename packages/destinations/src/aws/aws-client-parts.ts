import type { Log } from '@postrider/common'
import type { AddressGuard } from '../guard/address-guard.ts'

/** What every client of AWS is made with, besides its settings. */
export interface AwsClientParts {
  readonly guard: AddressGuard
  readonly log: Log
}
