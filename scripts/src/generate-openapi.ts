import { writeFileSync } from 'node:fs'
import { referenceDocument } from '@postrider/api'

/** Writes docs/openapi.json; a test of services/api says when that is due. */
const target = new URL('../../docs/openapi.json', import.meta.url)
writeFileSync(target, await referenceDocument())
console.log('docs/openapi.json is written')
