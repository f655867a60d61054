/** Sets variables of this process; what it returns puts all of them back as they were. */
export function changeEnvironment(changes: Readonly<Record<string, string>>): () => void {
  const { env } = process
  const before = { ...env }
  Object.assign(env, changes)
  return () => {
    for (const name of Object.keys(env)) if (!(name in before)) delete env[name]
    Object.assign(env, before)
  }
}
