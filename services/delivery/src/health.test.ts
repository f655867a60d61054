import { HealthServer, type Readiness } from './health.ts'

describe('the health of a deliverer', () => {
  let server: HealthServer
  let url: string
  let readiness: () => Promise<Readiness>

  beforeEach(async () => {
    readiness = () => Promise.resolve({ status: 'ready', checks: { postgres: 'ok' } })
    server = new HealthServer({
      host: '127.0.0.1',
      port: 0,
      readiness: () => readiness(),
      metrics: () => 'postrider_jobs_held 3\n',
    })
    url = `http://127.0.0.1:${await server.start()}`
  })

  afterEach(async () => {
    await server.stop()
  })

  const ask = async (path: string, method = 'GET'): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${url}${path}`, { method })
    return { status: response.status, body: await response.json() }
  }

  it('says that it is alive, ready or not', async () => {
    readiness = () => Promise.reject(new Error('away'))
    expect(await ask('/healthz')).toEqual({ status: 200, body: { status: 'ok' } })
  })

  it('says that it is ready, with its checks', async () => {
    expect(await ask('/readyz')).toEqual({
      status: 200,
      body: { status: 'ready', checks: { postgres: 'ok' } },
    })
  })

  it('answers 503 when it is not ready', async () => {
    readiness = () => Promise.resolve({ status: 'unready', checks: { postgres: 'away' } })
    expect(await ask('/readyz')).toEqual({
      status: 503,
      body: { status: 'unready', checks: { postgres: 'away' } },
    })
  })

  it('answers 503 when it cannot even tell, and does not say why', async () => {
    readiness = () => Promise.reject(new Error('a secret'))
    expect(await ask('/readyz')).toEqual({ status: 503, body: { status: 'unready', checks: {} } })
  })

  it('shows the metrics as text', async () => {
    const response = await fetch(`${url}/metrics`)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await response.text()).toBe('postrider_jobs_held 3\n')
  })

  it('has nothing else', async () => {
    expect((await ask('/')).status).toBe(404)
    expect((await ask('/healthz', 'POST')).status).toBe(405)
  })

  it('says when its port is taken', async () => {
    const second = new HealthServer({
      host: '127.0.0.1',
      port: Number(new URL(url).port),
      readiness: () => readiness(),
      metrics: () => '',
    })
    await expect(second.start()).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await second.stop()
  })

  it('cuts the connections that are kept open when it stops, and stops once', async () => {
    await ask('/healthz')
    await server.stop()
    await server.stop()
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
  })
})
