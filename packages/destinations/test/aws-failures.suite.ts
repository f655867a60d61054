import type { DeliveryDestination, StringMap } from '@postrider/common'
import { type AwsFault, type AwsFaults, createHold, freePort, waitFor } from '@postrider/testkit'
import type { Sender, SendRequest, SendResult } from '../src/destination-type.ts'
import { ACCESS_KEY } from './aws.ts'
import { failure } from './results.ts'

/** What a test of a sender to AWS has at hand. */
export interface AwsTrial {
  readonly faults: AwsFaults
  readonly sender: Sender
  /** By way of the faults. */
  readonly destination: (
    config?: StringMap,
    changes?: Partial<DeliveryDestination>,
  ) => DeliveryDestination
  readonly send: (to?: DeliveryDestination, changes?: Partial<SendRequest>) => Promise<SendResult>
}

export interface AwsFailuresOptions {
  /** Answers of the service, and the codes that become of them. */
  readonly answers: readonly (readonly [AwsFault, string])[]
  /** The config that leads to another server. Default: its endpoint. */
  readonly configAt?: (endpoint: string) => StringMap
}

/**
 * How senders to AWS fail, the same for every service: what it answers, how it cannot be reached, and
 * what becomes of connections.
 */
export function describeAwsFailures(
  trial: () => AwsTrial,
  { answers, configAt = (endpoint) => ({ endpoint }) }: AwsFailuresOptions,
): void {
  it.each(answers)('makes of the answer %j the code %s, and goes on', async (fault, code) => {
    const { faults, send } = trial()
    faults.next(fault)

    expect(await send()).toMatchObject({ status: 'failed', code, disable: false })
    expect(faults.calls).toHaveLength(1)
    expect(await send()).toMatchObject({ status: 'success' })
  })

  it.each([
    ['127.0.0.1', 'connection_refused'],
    ['192.168.255.1', 'blocked_address'],
    ['nowhere.invalid', 'dns_error'],
  ])('tells of a server at %s that cannot be reached: %s', async (host, code) => {
    const { destination, send } = trial()
    const to = destination(configAt(`http://${host}:${await freePort()}`))

    expect(await send(to)).toEqual(failure(code))
  })

  it('tells of a connection that is cut', async () => {
    const { faults, send } = trial()
    faults.next({ act: 'reset' })

    expect(await send()).toEqual(failure('connection_reset'))
  })

  it('tells of a server that has no TLS', async () => {
    const { faults, destination, send } = trial()
    const endpoint = faults.url.replace('http:', 'https:')

    expect(await send(destination({ endpoint }))).toEqual(failure('tls_error'))
  })

  it('gives up in time on a server that says nothing, and closes the connection', async () => {
    const { faults, send, destination } = trial()
    faults.next({ act: 'silence' })

    expect(await send(destination(), { timeoutMs: 200 })).toEqual(failure('timeout'))
    await waitFor(() => faults.open === 0, { what: 'the connection to be closed' })
  })

  it('takes new credentials with the next version, while sends with the old ones end well', async () => {
    const { faults, send, destination } = trial()
    const hold = createHold()
    faults.hold(hold.released)
    const old = send(destination())
    await waitFor(() => faults.calls.length === 1, { what: 'a call with the old key' })
    const credentials = { ...ACCESS_KEY, key: 'AKIANEXT' }
    const next = send(destination({}, { version: 2, credentials }))
    await waitFor(() => faults.calls.length === 2, { what: 'a call with the new key' })
    hold.release()

    expect([await old, await next]).toMatchObject([{ status: 'success' }, { status: 'success' }])
    expect(faults.calls.map(({ accessKeyId }) => accessKeyId)).toEqual([
      ACCESS_KEY['key'],
      'AKIANEXT',
    ])
    await waitFor(() => faults.open === 1, { what: 'the old connection to be closed' })
  })

  it('keeps its connection, and closes it when it stops', async () => {
    const { faults, send, sender } = trial()
    await send()
    await send()
    expect(faults.connections).toBe(1)
    await sender.stop()

    await waitFor(() => faults.open === 0, { what: 'the connection to be closed' })
  })
}
