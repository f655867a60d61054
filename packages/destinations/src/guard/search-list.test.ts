import { candidateNames, parseSearchList } from './search-list.ts'

describe('search list', () => {
  const kubernetes = parseSearchList(`
nameserver 10.96.0.10
search shop.svc.cluster.local svc.cluster.local
options ndots:5 timeout:1
`)

  it('tries short names in the search domains first', () => {
    expect(candidateNames('orders.shop', kubernetes)).toEqual([
      'orders.shop.shop.svc.cluster.local',
      'orders.shop.svc.cluster.local',
      'orders.shop',
    ])
  })

  it('tries a name with enough dots as it stands first', () => {
    expect(candidateNames('hooks.example.com', parseSearchList('search corp.example'))).toEqual([
      'hooks.example.com',
      'hooks.example.com.corp.example',
    ])
  })

  it('takes a name with a final dot as it stands alone', () => {
    expect(candidateNames('orders.', kubernetes)).toEqual(['orders'])
  })

  it('has no domains when resolv.conf names none', () => {
    expect(parseSearchList('nameserver 1.1.1.1')).toEqual({ domains: [], ndots: 1 })
  })

  it('follows the last of domain and search', () => {
    expect(parseSearchList('search a b\ndomain c d').domains).toEqual(['c'])
  })
})
