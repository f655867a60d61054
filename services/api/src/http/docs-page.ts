import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import express, { type Response, type Router } from 'express'

const PATH = '/docs'

/** Of swagger-ui-dist; its other files are a demonstration that asks the internet. */
const LIBRARY = ['swagger-ui.css', 'swagger-ui-bundle.js']

/**
 * The page that shows an OpenAPI document at `/docs`. All of it comes from here: nothing is asked of
 * the internet, and the browser is told not to.
 *
 * @param documentUrl - where the page finds the document
 */
export function docsPage(documentUrl: string): Router {
  const directory = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const pages = express.Router({ caseSensitive: true })
  pages.get(PATH, (_, res) => sendText(res, 'text/html', page(documentUrl)))
  pages.get(`${PATH}/start.js`, (_, res) => sendText(res, 'text/javascript', script(documentUrl)))
  for (const file of LIBRARY) {
    pages.get(`${PATH}/${file}`, (_, res) => {
      res.set(HEADERS).sendFile(file, { root: directory, maxAge: '1d' })
    })
  }
  return pages
}

// The library sets styles inline and has its icons as data; scripts come from files alone.
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function sendText(res: Response, type: string, text: string): void {
  res.set(HEADERS).type(`${type}; charset=utf-8`).send(text)
}

function page(documentUrl: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Postrider API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${PATH}/swagger-ui.css">
    <script src="${PATH}/swagger-ui-bundle.js" defer></script>
    <script src="${PATH}/start.js" defer></script>
  </head>
  <body>
    <noscript>This page needs JavaScript; the document itself is at ${documentUrl}.</noscript>
    <div id="docs"></div>
  </body>
</html>
`
}

/** Without a validator, which would be asked over the internet. */
function script(documentUrl: string): string {
  return `SwaggerUIBundle({
  url: ${JSON.stringify(documentUrl)},
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  displayRequestDuration: true,
  tryItOutEnabled: true,
})
`
}
