import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeBlocks } from './code-blocks.ts'
import { describeWith } from './describe-with.ts'
import { DEFAULT_VECTORS, STANDARD_VECTORS, VECTORS_PATH } from './vectors.ts'

// The functions know SHA-256 in hexadecimal only.
const VECTORS = {
  default: DEFAULT_VECTORS.filter(
    (each) => each.algorithm === 'hmac-sha256' && each.encoding === 'hex',
  ),
  standard: STANDARD_VECTORS,
}

describeWith('python3')('the Python of docs/webhooks.md', () => {
  it('accepts what openssl signed, and refuses every change of one bit', () => {
    const check = readFileSync(join(VECTORS_PATH, 'check.py'), 'utf8')
    const program = [...codeBlocks('docs/webhooks.md', 'python'), check].join('\n')
    const { stdout, stderr } = spawnSync('python3', ['-c', program], {
      input: JSON.stringify(VECTORS),
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    const results = JSON.parse(stdout) as readonly [boolean, boolean, number][]
    expect(results).toHaveLength(VECTORS.default.length + VECTORS.standard.length)
    for (const result of results) expect(result).toEqual([true, false, expect.any(Number)])
  })
})

describe('the requests shown in docs/webhooks.md', () => {
  it('are vectors', () => {
    const shown = codeBlocks('docs/webhooks.md', 'http').map(
      (block) => /-signature: (.+)/.exec(block)?.[1],
    )
    expect(shown).toEqual([DEFAULT_VECTORS[0]?.header, STANDARD_VECTORS[0]?.header])
  })
})

describeWith('openssl')('the commands shown in docs/webhooks.md', () => {
  it('sign the requests that are shown', () => {
    const signed = codeBlocks('docs/webhooks.md', 'sh').map(
      (block) => spawnSync('sh', ['-c', block], { encoding: 'utf8' }).stdout,
    )
    expect(signed).toEqual([
      expect.stringContaining(DEFAULT_VECTORS[0]?.header.slice(-64) ?? ''),
      STANDARD_VECTORS[0]?.header.slice('v1,'.length),
    ])
  })
})
