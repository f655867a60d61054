import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '@postrider/testkit'
import { startStandalone } from '../src/index.ts'
import { API_KEY, standaloneSettings } from './settings.ts'
import { describeWholeFlow } from './whole-flow.ts'

describeWholeFlow('on the embedded parts', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-'))
  const service = await startStandalone({
    settings: standaloneSettings({ DATA_DIR: dataDir }),
    log: silentLog,
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  return {
    url: service.url,
    apiKey: API_KEY,
    stop: async () => {
      await service.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
})
