import type { AddressInfo } from 'node:net'
import express from 'express'
import { cpuUs, serve } from './child.ts'

/** The floor of a publish: a bare express route that parses a JSON body and answers 202. */
const app = express()
app.use(express.json())
app.post('/api/v1/publish', (request, response) => {
  const { topic } = request.body as { topic: string }
  response.status(202).json({ id: topic, duplicate: false, destination_ids: [] })
})

serve({
  start: () =>
    new Promise((resolve) => {
      const server = app.listen(0, '127.0.0.1', () =>
        resolve((server.address() as AddressInfo).port),
      )
    }),
  cpu: () => cpuUs(),
})
