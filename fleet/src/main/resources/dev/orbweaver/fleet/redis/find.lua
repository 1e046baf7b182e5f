-- Finds one URL. Replies with a word and its data, as in ShardRequest.FindReply; for a URL that may
-- be in a file, each range and the number of URLs before it, or -1 if it is a range of dead
-- letters.
local job, host, id, lowBits, fingerprint = arguments(5)
local claimed = redis.call('HGET', claimedKey(host), id)
if claimed then
  return { FIND_CLAIMED, claimedRecord(claimed), integer(redis.call('ZSCORE', base .. KEY_CLAIMED_HOSTS, host) or 0) }
end
local dead = redis.call('HGET', deadKey(job), id)
if dead then
  return { FIND_DEAD, dead }
end
local v = redis.call('HMGET', hostKey(host), HOST_DELAYED_UNTIL, HOST_REST_UNTIL, HOST_EXCLUDED .. job)
local hostDue, excluded = math.max(tonumber(v[1]) or 0, tonumber(v[2]) or 0), v[3] or ''
local ahead, ranges = 0, {}
for rank in eachRank() do
  for _, record in ipairs(redis.call('LRANGE', queue(job, rank, host), 0, -1)) do
    local count = spilledRange(record)
    if count then
      ranges[#ranges + 1] = record
      ranges[#ranges + 1] = integer(ahead)
    elseif idOf(job, record) == id then
      return { FIND_QUEUED, record, integer(ahead), integer(hostDue), excluded }
    end
    ahead = ahead + (count or 1)
  end
end
for _, record in ipairs(redis.call('ZRANGE', delayed(job, host), 0, -1)) do
  if idOf(job, record) == id then
    return { FIND_QUEUED, record, integer(ahead), integer(math.max(hostDue, tonumber(timeOf(record)))), excluded }
  end
  ahead = ahead + 1
end
local known = isKnown(job, tonumber(lowBits), fingerprint)
if known then
  for _, record in ipairs(redis.call('SMEMBERS', deadRangesKey(job))) do
    ranges[#ranges + 1] = record
    ranges[#ranges + 1] = '-1'
  end
end
if #ranges > 0 then
  return { FIND_SPILLED, integer(hostDue), excluded, known and '1' or '', ranges }
end
local slots, wanted = revisitsKey(job), string.match(id, ':(.*)$')
for _, slot in ipairs(known and redis.call('ZRANGE', slots, 0, -1) or {}) do
  for _, page in ipairs(redis.call('LRANGE', slots .. ':' .. slot, 0, -1)) do
    if string.sub(restOfPage(page), 1, #wanted) == wanted then
      return { FIND_SCHEDULED, page, redis.call('HGETALL', ratesKey(job, host)) }
    end
  end
end
return { known and FIND_SETTLED or FIND_NEVER }
