-- Reserves URLs of a job within its limits. KEYS[1] has the reservations. Replies with a letter for
-- each URL. A repeated call gets the same reply and reserves nothing.
local worker, callId, maxHosts, maxPerDomain = arguments(4)
local lastCall = 'last.' .. worker
local before = redis.call('HGET', KEYS[1], lastCall)
if before then
  local space = string.find(before, ' ', 1, true)
  if string.sub(before, 1, space - 1) == callId then
    return string.sub(before, space + 1)
  end
end
local function isFull(name, limit)
  return (tonumber(redis.call('HGET', KEYS[1], name)) or 0) >= tonumber(limit)
end
-- Reads a URL and reserves it only if no limit is reached: a refused one must not count.
local reserved = {}
local function reserve()
  local newHost, domain, conditions = arguments(3)
  domain = QUOTA_DOMAIN .. domain
  local full, names = false, { domain }
  for _ = 1, tonumber(conditions) do
    local condition, max = arguments(2)
    names[#names + 1] = QUOTA_MATCHING .. condition
    full = full or isFull(names[#names], max)
  end
  local hostIsNew = newHost ~= '' and not reserved[newHost]
  if hostIsNew and isFull(QUOTA_HOSTS, maxHosts) then
    return RESERVE_HOSTS_LIMIT
  elseif isFull(domain, maxPerDomain) then
    return RESERVE_DOMAIN_LIMIT
  elseif full then
    return RESERVE_MATCH_LIMIT
  end
  if hostIsNew then
    names[#names + 1] = QUOTA_HOSTS
    reserved[newHost] = true
  end
  for _, name in ipairs(names) do
    redis.call('HINCRBY', KEYS[1], name, 1)
  end
  return RESERVE_RESERVED
end
local results = {}
while hasArguments() do
  results[#results + 1] = reserve()
end
local reply = table.concat(results)
redis.call('HSET', KEYS[1], lastCall, callId .. ' ' .. reply)
return reply
