/** A range of addresses that is refused as a whole. */
export interface RefusedRange {
  readonly range: string
  /** What it is for, and where its registry calls it globally reachable, why it is refused anyway. */
  readonly what: string
  readonly first: string
  readonly last: string
  /** The allowed addresses beside it; what lies beside others is refused, or there is nothing. */
  readonly neighbours: readonly string[]
}

/**
 * IANA's registry of special IPv4 addresses, entry by entry; below the line what else is nobody's
 * receiver. A dash: the neighbour is in another range, or there is none.
 */
export const REFUSED_V4 = ranges(`
  range               before           first            last             after            what
  0.0.0.0/8           -                0.0.0.0          0.255.255.255    1.0.0.0          this network
  0.0.0.0/32          -                0.0.0.0          0.0.0.0          -                this host
  10.0.0.0/8          9.255.255.255    10.0.0.0         10.255.255.255   11.0.0.0         private
  100.64.0.0/10       100.63.255.255   100.64.0.0       100.127.255.255  100.128.0.0      carrier-grade NAT
  127.0.0.0/8         126.255.255.255  127.0.0.0        127.255.255.255  128.0.0.0        loopback
  169.254.0.0/16      169.253.255.255  169.254.0.0      169.254.255.255  169.255.0.0      link-local, cloud metadata
  172.16.0.0/12       172.15.255.255   172.16.0.0       172.31.255.255   172.32.0.0       private
  192.0.0.0/24        191.255.255.255  192.0.0.0        192.0.0.255      192.0.1.0        IETF protocols
  192.0.0.0/29        -                192.0.0.0        192.0.0.7        -                IPv4 over IPv6 (DS-Lite)
  192.0.0.8/32        -                192.0.0.8        192.0.0.8        -                dummy address
  192.0.0.9/32        -                192.0.0.9        192.0.0.9        -                port control; answered by the nearest router, one of ours
  192.0.0.10/32       -                192.0.0.10       192.0.0.10       -                TURN; answered by the nearest router, one of ours
  192.0.0.170/32      -                192.0.0.170      192.0.0.170      -                NAT64 discovery
  192.0.0.171/32      -                192.0.0.171      192.0.0.171      -                NAT64 discovery
  192.0.2.0/24        192.0.1.255      192.0.2.0        192.0.2.255      192.0.3.0        documentation
  192.31.196.0/24     192.31.195.255   192.31.196.0     192.31.196.255   192.31.197.0     AS112; a sink for reverse lookups
  192.52.193.0/24     192.52.192.255   192.52.193.0     192.52.193.255   192.52.194.0     AMT; relays into multicast
  192.88.99.0/24      192.88.98.255    192.88.99.0      192.88.99.255    192.88.100.0     6to4 relays
  192.88.99.2/32      -                192.88.99.2      192.88.99.2      -                6a44 relays
  192.168.0.0/16      192.167.255.255  192.168.0.0      192.168.255.255  192.169.0.0      private
  192.175.48.0/24     192.175.47.255   192.175.48.0     192.175.48.255   192.175.49.0     AS112, delegated; a sink for reverse lookups
  198.18.0.0/15       198.17.255.255   198.18.0.0       198.19.255.255   198.20.0.0       benchmarking
  198.51.100.0/24     198.51.99.255    198.51.100.0     198.51.100.255   198.51.101.0     documentation
  203.0.113.0/24      203.0.112.255    203.0.113.0      203.0.113.255    203.0.114.0      documentation
  240.0.0.0/4         -                240.0.0.0        255.255.255.255  -                reserved
  255.255.255.255/32  -                255.255.255.255  255.255.255.255  -                broadcast
  ----
  168.63.129.16/32    168.63.129.15    168.63.129.16    168.63.129.16    168.63.129.17    Azure's wire server, which tells a machine about itself
  224.0.0.0/4         223.255.255.255  224.0.0.0        239.255.255.255  -                multicast
`)

/**
 * The same for IPv6. An ellipsis stands for groups of ones. Only 2000::/3 is given out to hosts, so
 * outside of it there are no allowed neighbours.
 */
export const REFUSED_V6 = ranges(`
  range              before            first          last                after           what
  ::1/128            -                 ::1            ::1                 -               loopback
  ::/128             -                 ::             ::                  -               unspecified
  ::ffff:0:0/96      -                 ::ffff:0:0     ::ffff:ffff:ffff    -               IPv4-mapped
  64:ff9b::/96       -                 64:ff9b::      64:ff9b::ffff:ffff  -               NAT64; reaches what the IPv4 address would
  64:ff9b:1::/48     -                 64:ff9b:1::    64:ff9b:1:…         -               local NAT64
  100::/64           -                 100::          100:0:0:0:…         -               discard
  100:0:0:1::/64     -                 100:0:0:1::    100:0:0:1:…         -               dummy prefix
  2001::/23          2000:…            2001::         2001:1ff:…          2001:200::      IETF protocols
  2001::/32          -                 2001::         2001:0:…            -               Teredo; reaches what the IPv4 address would
  2001:1::1/128      -                 2001:1::1      2001:1::1           -               port control; answered by the nearest router, one of ours
  2001:1::2/128      -                 2001:1::2      2001:1::2           -               TURN; answered by the nearest router, one of ours
  2001:1::3/128      -                 2001:1::3      2001:1::3           -               service registration; answered by a router of ours
  2001:2::/48        -                 2001:2::       2001:2:0:…          -               benchmarking
  2001:3::/32        -                 2001:3::       2001:3:…            -               AMT; relays into multicast
  2001:4:112::/48    -                 2001:4:112::   2001:4:112:…        -               AS112; a sink for reverse lookups
  2001:10::/28       -                 2001:10::      2001:1f:…           -               ORCHID
  2001:20::/28       -                 2001:20::      2001:2f:…           -               ORCHIDv2; names of hosts that only an overlay routes
  2001:30::/28       -                 2001:30::      2001:3f:…           -               drones; names of things that only an overlay routes
  2001:db8::/32      2001:db7:…        2001:db8::     2001:db8:…          2001:db9::      documentation
  2002::/16          2001:…            2002::         2002:…              2003::          6to4; reaches what the IPv4 address would
  2620:4f:8000::/48  2620:4f:7fff:…    2620:4f:8000:: 2620:4f:8000:…      2620:4f:8001::  AS112, delegated; a sink for reverse lookups
  3fff::/20          3ffe:…            3fff::         3fff:fff:…          3fff:1000::     documentation
  5f00::/16          -                 5f00::         5f00:…              -               segment routing
  fc00::/7           -                 fc00::         fdff:…              -               unique-local
  fe80::/10          -                 fe80::         febf:…              -               link-local
  ----
  ::/96              -                 ::             ::ffff:ffff         -               IPv4-compatible
  ::ffff:0:0:0/96    -                 ::ffff:0:0:0   ::ffff:0:ffff:ffff  -               IPv4-translated (SIIT)
  fec0::/10          -                 fec0::         feff:…              -               site-local
  ff00::/8           -                 ff00::         ffff:…              -               multicast
  ::/3               -                 ::             1fff:…              2000::          not given out
  4000::/2           3fff:…            4000::         7fff:…              -               not given out
  8000::/1           -                 8000::         ffff:…              -               not given out
`)

function ranges(table: string): readonly RefusedRange[] {
  const [, ...rows] = table.trim().split('\n')
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((columns) => columns.length > 1)
    .map(([range = '', before = '', first = '', last = '', after = '', ...what]) => ({
      range,
      what: what.join(' '),
      first: spelledOut(first),
      last: spelledOut(last),
      neighbours: [before, after].filter((each) => each !== '-').map(spelledOut),
    }))
}

function spelledOut(address: string): string {
  const groups = address.split(':')
  return groups.at(-1) === '…'
    ? [...groups.slice(0, -1), ...Array<string>(9 - groups.length).fill('ffff')].join(':')
    : address
}
