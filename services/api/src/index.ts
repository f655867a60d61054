export { type Api, type ApiParts, createApi } from './context.ts'
export { type ApiProcess, startDistributed as startApiProcess } from './distributed.ts'
export { referenceDocument } from './openapi/reference-document.ts'
