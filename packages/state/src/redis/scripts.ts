/*
 * The two scripts that keep the places in Redis. Everything lies under one prefix, whose hash tag keeps
 * it in one slot of a cluster:
 *
 *   <prefix>:all                            every place
 *   <prefix>:tenant:<queue>:<uid>           the places of a tenant in a queue
 *   <prefix>:destination:<queue>:<uid>      the places of a destination in a queue
 *   <prefix>:backlog:<queue>:<tenant uid>   the mark of a backlog
 *   <prefix>:narrow:<destination uid>       how many places a narrowed destination may have
 *
 * The first three are sorted sets of members "event destination dispatch bytes", scored by the end of
 * the place on Redis' own clock; counts are the sizes of the sets, so no counter can drift from its set.
 * The sum of bytes over all places is the score of the member '' of <prefix>:all, negated, which keeps it
 * out of every range of ends: set and sum live in one key, so they are flushed or evicted together.
 *
 * Each set carries a time to live that covers its last place, so that a tenant who never comes back
 * leaves nothing behind. A place that ended is forgotten by the next take that touches its sets; of
 * <prefix>:all, up to 1 000 at a time, so that one call after a long idle time does not hold up the
 * others. Those beyond count no longer (the count is of ends in the future), only their bytes do.
 */

/** Splits the JSON text of places, six values each, as `encodePlaces` writes it. */
const EACH_PLACE = `
local places = cjson.decode(ARGV[#ARGV])
local all = KEYS[1] .. ':all'
local function setsOf(i)
  local queue, destination = places[i], places[i + 2]
  return KEYS[1] .. ':tenant:' .. queue .. ':' .. places[i + 1],
    KEYS[1] .. ':destination:' .. queue .. ':' .. destination,
    places[i + 3] .. ' ' .. destination .. ' ' .. places[i + 4] .. ' ' .. places[i + 5]
end
`

/**
 * KEYS: prefix. ARGV: places per tenant, places per destination, jobs over all, bytes over all, the
 * tenant's minimum, milliseconds until the end, '1' to yield to a backlog, places.
 * Answers a string of one '0' or '1' for each place.
 */
export const TAKE_PLACES = `
${EACH_PLACE}
local perTenant, perDestination = tonumber(ARGV[1]), tonumber(ARGV[2])
local totalJobs, totalBytes = tonumber(ARGV[3]), tonumber(ARGV[4])
local minimum, expiresIn, yields = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7] == '1'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local ended = redis.call('ZRANGEBYSCORE', all, '(0', now, 'LIMIT', 0, 1000)
if #ended > 0 then
  local bytes = 0
  for _, member in ipairs(ended) do bytes = bytes + string.match(member, '%d+$') end
  redis.call('ZREM', all, unpack(ended))
  redis.call('ZINCRBY', all, bytes, '')
end
local jobs = redis.call('ZCOUNT', all, '(' .. now, '+inf')
local bytes = -(redis.call('ZSCORE', all, '') or 0)
local bytesBefore = bytes

local counts, marked, narrowed, grown = {}, {}, {}, {}
local function held(set)
  if not counts[set] then
    redis.call('ZREMRANGEBYSCORE', set, '-inf', now)
    counts[set] = redis.call('ZCARD', set)
  end
  return counts[set]
end
local function isMarked(mark)
  if marked[mark] == nil then marked[mark] = redis.call('EXISTS', mark) == 1 end
  return marked[mark]
end
local function isNarrow(destination)
  local places = narrowed[destination]
  if places == nil then
    places = tonumber(redis.call('GET', KEYS[1] .. ':narrow:' .. destination)) or false
    narrowed[destination] = places
  end
  if not places then return false end
  local prefix = KEYS[1] .. ':destination:'
  return held(prefix .. 'fresh:' .. destination) + held(prefix .. 'retry:' .. destination) >= places
end
local function add(set, member)
  counts[set] = counts[set] + redis.call('ZADD', set, now + expiresIn, member)
  grown[set] = true
end

local answer = {}
for i = 1, #places, 6 do
  local tenant, destination, member = setsOf(i)
  local mark = yields and KEYS[1] .. ':backlog:' .. places[i] .. ':' .. places[i + 1]
  local taken = '0'
  if not (mark and isMarked(mark)) then
    local ofTenant, weight = held(tenant), places[i + 5]
    if ofTenant >= perTenant
      or held(destination) >= perDestination
      or isNarrow(places[i + 2])
      or ofTenant >= minimum and (jobs >= totalJobs or bytes + weight > totalBytes) then
      if mark then
        redis.call('SET', mark, '1', 'PX', expiresIn)
        marked[mark] = true
      end
    else
      local isNew = redis.call('ZADD', all, 'NX', now + expiresIn, member) == 1
      -- One that has ended, but is not forgotten yet, is no longer held; its bytes are in the sum.
      if isNew or tonumber(redis.call('ZSCORE', all, member)) <= now then
        if isNew then bytes = bytes + weight else redis.call('ZADD', all, now + expiresIn, member) end
        grown[all] = true
        jobs = jobs + 1
        add(tenant, member)
        add(destination, member)
        taken = '1'
      end
    end
  end
  answer[#answer + 1] = taken
end

if bytes > bytesBefore then redis.call('ZINCRBY', all, bytesBefore - bytes, '') end
for set in pairs(grown) do
  if redis.call('PTTL', set) < expiresIn then redis.call('PEXPIRE', set, expiresIn) end
end
return table.concat(answer)
`

/**
 * KEYS: prefix. ARGV: places. A place that its tenant does not hold is passed over. Answers how many
 * were held.
 */
export const RELEASE_PLACES = `
${EACH_PLACE}
local released, bytes = 0, 0
for i = 1, #places, 6 do
  local tenant, destination, member = setsOf(i)
  if redis.call('ZREM', tenant, member) == 1 then
    released = released + 1
    redis.call('ZREM', destination, member)
    if redis.call('ZREM', all, member) == 1 then bytes = bytes + places[i + 5] end
  end
end
if bytes > 0 then redis.call('ZINCRBY', all, bytes, '') end
return released
`
