import type { Express } from 'express'

/** The part of express' insides that says what is mounted. */
interface Layer {
  readonly route?: {
    readonly path: string
    readonly stack: readonly { readonly method?: string }[]
  }
  readonly handle: { readonly stack?: readonly Layer[] }
}

/** What an app serves, as `method path`: asked of express, not of the table that it was made from. */
export function servedRoutes(app: Express): string[] {
  return routesIn((app.router as unknown as { stack: readonly Layer[] }).stack)
}

function routesIn(layers: readonly Layer[]): string[] {
  return layers.flatMap(({ route, handle }) => {
    if (route === undefined) return routesIn(handle.stack ?? [])
    // What answers all methods refuses those that have no handler of their own.
    const methods = new Set(route.stack.flatMap(({ method }) => method ?? []))
    return Array.from(methods, (method) => `${method} ${route.path}`)
  })
}
