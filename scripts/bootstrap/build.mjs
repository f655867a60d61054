import { runTool } from './process.mjs'

/**
 * Compiles a project and what it refers to, as far as it changed (a tenth of a second when nothing
 * did); without a project the whole repository with its tests. False when there were errors.
 */
export async function build(project) {
  const projects = project === undefined ? [] : [project]
  return (await runTool('tsc', ['--build', ...projects], { stdout: 2 })) === 0
}
