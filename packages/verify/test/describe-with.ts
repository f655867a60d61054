import { spawnSync } from 'node:child_process'

/** `describe` where a program is installed; where it is not, its tests are reported as skipped. */
export function describeWith(program: 'openssl' | 'python3'): typeof describe.skip {
  const flag = program === 'openssl' ? 'version' : '--version'
  return spawnSync(program, [flag]).status === 0 ? describe : describe.skip
}
