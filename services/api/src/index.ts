export { type Api, type ApiParts, createApi } from './context.ts'
