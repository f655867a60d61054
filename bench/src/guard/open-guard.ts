import { AddressGuard } from '@postrider/destinations'

/**
 * A guard that stands open: whatever the host is called it is this address, known without a lookup, and
 * nothing is judged. Nothing could cost less, so that what the real one costs more is all its own.
 */
export class OpenGuard extends AddressGuard {
  readonly #address: string

  constructor(address: string) {
    super({ allowedNetworks: [] })
    this.#address = address
  }

  override judge(): boolean {
    return true
  }

  override async resolve(): Promise<readonly string[]> {
    return [this.#address]
  }
}
