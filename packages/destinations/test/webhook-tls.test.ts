import { createServer, type TlsOptions } from 'node:tls'
import { createRegistry, type Registry, validateSettings } from '@postrider/destinations'
import { startReceiver } from '@postrider/testkit'
import { createTlsContext } from '../src/http/tls-context.ts'
import type { WebhookSettings } from '../src/webhook/settings.ts'
import { type CertificateFile, writeCertificateFile } from './certificate-file.ts'
import {
  sendRequest,
  SILENT_LOG,
  webhookDestination,
  webhookSender,
  webhookSettings,
} from './factories.ts'
import { listening } from './raw-server.ts'
import { UNTRUSTED_TLS } from './tls.ts'

async function send(url: string, settings: Partial<WebhookSettings>) {
  const sender = webhookSender({ settings })
  const result = await sender.send(sendRequest(webhookDestination(url)))
  await sender.stop()
  return result
}

async function withServer(options: TlsOptions, act: (url: string) => Promise<void>) {
  const server = createServer({ ...UNTRUSTED_TLS, ...options }, (socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
  })
  await act(`https://localhost:${await listening(server)}`)
  server.close()
}

function registryWith(settings: Partial<WebhookSettings>): Registry {
  return createRegistry({
    webhook: webhookSettings(settings),
    allowedNetworks: [],
    version: 'test',
    log: SILENT_LOG,
  })
}

describe('webhook over TLS', () => {
  let ca: CertificateFile

  beforeEach(async () => {
    ca = await writeCertificateFile(`Our own\n${UNTRUSTED_TLS.cert}`)
  })

  afterEach(() => ca.remove())

  it('goes to a receiver whose certificate is vouched for by the extra file, by its name only', async () => {
    const receiver = await startReceiver({ tls: UNTRUSTED_TLS })
    const byName = `https://localhost:${receiver.port}`

    expect(await send(byName, { extraCaFile: ca.path })).toMatchObject({ status: 'success' })
    expect(await send(byName, {})).toMatchObject({ code: 'tls_error' })
    expect(await send(receiver.url, { extraCaFile: ca.path })).toMatchObject({ code: 'tls_error' })
    expect(receiver.requests).toHaveLength(1)
    await receiver.stop()
  })

  it.each([
    ['TLSv1.2', 'TLSv1.2', 'success'],
    ['TLSv1.3', 'TLSv1.2', 'success'],
    ['TLSv1.3', 'TLSv1.3', 'success'],
    ['TLSv1.2', 'TLSv1.3', 'failed'],
  ] as const)(
    'with %s, when at least %s is asked for: %s',
    async (spoken, minTlsVersion, status) => {
      await withServer({ minVersion: spoken, maxVersion: spoken }, async (url) => {
        expect(await send(url, { extraCaFile: ca.path, minTlsVersion })).toMatchObject({ status })
      })
    },
  )

  it('is never older than TLS 1.2', async () => {
    const old: TlsOptions = {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL@SECLEVEL=0',
    }
    await withServer(old, async (url) => {
      expect(await send(url, { extraCaFile: ca.path })).toMatchObject({ code: 'tls_error' })
    })
  })
})

describe('extra certificates', () => {
  it.each([
    ['that is empty', '', 'contains no PEM certificate'],
    ['that is not PEM', 'nonsense', 'contains no PEM certificate'],
    ['with a key instead', UNTRUSTED_TLS.key, 'contains no PEM certificate'],
    [
      'with a damaged certificate',
      `${UNTRUSTED_TLS.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      'certificate 2 cannot be parsed',
    ],
  ])('of a file %s stop the start, which names the setting and the path', async (_, text, why) => {
    const file = await writeCertificateFile(text)
    const start = () => createTlsContext({ minVersion: 'TLSv1.2', extraCaFile: file.path })

    expect(start).toThrow(`DESTINATIONS_WEBHOOK_EXTRA_CA_FILE: ${file.path} `)
    expect(start).toThrow(why)
    await file.remove()
  })

  it('of a file that is not there stop the start, as does a directory', () => {
    expect(() => registryWith({ extraCaFile: '/nowhere/ca.pem' })).toThrow(
      'DESTINATIONS_WEBHOOK_EXTRA_CA_FILE: /nowhere/ca.pem cannot be read: ENOENT',
    )
    expect(() => registryWith({ extraCaFile: '/' })).toThrow(
      'DESTINATIONS_WEBHOOK_EXTRA_CA_FILE: / cannot be read: EISDIR',
    )
  })
})

describe('webhook without TLS, when TLS is asked for,', () => {
  it('is https_required when it was written before, and nothing is dialled', async () => {
    const receiver = await startReceiver()

    expect(await send(receiver.url, { httpsOnly: true })).toMatchObject({
      status: 'failed',
      code: 'https_required',
      response: null,
    })
    expect(receiver.connections).toBe(0)
    await receiver.stop()
  })

  it('is refused when it is written', () => {
    const type = registryWith({ httpsOnly: true }).get('webhook')
    const faults = (url: string) =>
      type === undefined ? null : validateSettings(type, { config: { url }, credentials: {} })

    expect(faults('http://example.com')).toEqual(['config.url must be an https URL'])
    expect(faults('https://example.com')).toEqual([])
  })
})
