/** What resolv.conf says about names that are not fully qualified. */
export interface SearchList {
  readonly domains: readonly string[]
  /** A name with at least this many dots is first tried as it stands. */
  readonly ndots: number
}

/** The search list of a resolv.conf (resolv.conf(5)); the last `search` or `domain` line counts. */
export function parseSearchList(resolvConf: string): SearchList {
  let domains: readonly string[] = []
  let ndots = 1
  for (const line of resolvConf.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/)
    if (keyword === 'search') domains = values
    if (keyword === 'domain') domains = values.slice(0, 1)
    if (keyword === 'options') {
      const option = values.map((value) => /^ndots:(\d+)$/.exec(value)?.[1]).find(Boolean)
      if (option !== undefined) ndots = Math.min(Number(option), 15)
    }
  }
  return { domains, ndots }
}

/** The fully qualified names to ask for, in order, until one has addresses. */
export function candidateNames(name: string, { domains, ndots }: SearchList): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const searched = domains.map((domain) => `${name}.${domain}`)
  const dots = name.split('.').length - 1
  return dots >= ndots ? [name, ...searched] : [...searched, name]
}
