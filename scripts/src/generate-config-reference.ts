import { writeFileSync } from 'node:fs'
import { configurationReference } from '@postrider/config'

/** Writes docs/configuration.md; the test of packages/config says when that is due. */
const target = new URL('../../docs/configuration.md', import.meta.url)
writeFileSync(target, configurationReference())
console.log('docs/configuration.md is written')
