/** The one user; may do everything in every vhost of the node. */
export const USER = 'postrider'

/** What a node loads at every start (`load_definitions`), so that a wiped node is whole again. */
export function definitionsFor(password: string, vhosts: readonly string[]): string {
  return JSON.stringify({
    users: [{ name: USER, password, tags: 'administrator' }],
    vhosts: vhosts.map((name) => ({ name })),
    permissions: vhosts.map((vhost) => ({
      user: USER,
      vhost,
      configure: '.*',
      write: '.*',
      read: '.*',
    })),
  })
}
