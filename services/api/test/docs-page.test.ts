import request from 'supertest'
import { openApi, type TestApi } from './open-api.ts'

describe('the page that shows the document', () => {
  let api: TestApi

  beforeAll(() => {
    // It needs no Postgres.
    api = openApi({ postgresUrl: 'postgres://nobody@127.0.0.1:1/none' })
  })

  afterAll(() => api[Symbol.asyncDispose]())

  const get = (path: string): request.Test => request(api.api.app).get(path)

  it.each(['/docs', '/docs/'])('is at %s, for everybody', async (path) => {
    const { text } = await get(path).expect(200).expect('content-type', 'text/html; charset=utf-8')
    expect(text).toContain('<div id="docs"></div>')
  })

  it('is made of files that are here, and asks nothing of the internet', async () => {
    const { text } = await get('/docs')
    const parts = Array.from(text.matchAll(/(?:src|href)="([^"]+)"/g), ([, url = '']) => url)
    expect(parts).toEqual([
      'data:,',
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
      '/docs/start.js',
    ])
    for (const part of parts.slice(1)) {
      const { headers } = await get(part).expect(200)
      expect(headers['content-type']).toMatch(/^text\/(?:css|javascript)/)
    }
  })

  it('runs no script but those files, by the word of its policy', async () => {
    const { text, headers } = await get('/docs')
    expect(headers['content-security-policy']).toMatch(/^default-src 'self'; style-src/)
    expect(headers['content-security-policy']).not.toMatch(/script-src|connect-src|https?:/)
    expect(text).not.toMatch(/<script(?! src=)| on\w+=/)
  })

  it('shows the document of this api, and has no validator check it elsewhere', async () => {
    const { text } = await get('/docs/start.js').expect(200)
    expect(text).toContain('url: "/api/v1/openapi.json"')
    expect(text).toContain('validatorUrl: null')
    await get('/api/v1/openapi.json').expect(200)
  })

  it('has nothing else of the library', async () => {
    for (const path of ['/docs/index.html', '/docs/swagger-ui.js', '/docs/..%2fpackage.json']) {
      const { body } = await get(path).expect(404)
      expect(body.code).toBe('not_found')
    }
  })
})
