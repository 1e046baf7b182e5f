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
local function reserve(name, limit)
  if (tonumber(redis.call('HGET', KEYS[1], name)) or 0) >= tonumber(limit) then
    return false
  end
  redis.call('HINCRBY', KEYS[1], name, 1)
  return true
end
local results, reserved = {}, {}
while hasArguments() do
  local newHost, domain = arguments(2)
  if newHost ~= '' and not reserved[newHost] and not reserve(QUOTA_HOSTS, maxHosts) then
    results[#results + 1] = RESERVE_HOSTS_LIMIT
  else
    reserved[newHost] = true
    results[#results + 1] = reserve(QUOTA_DOMAIN .. domain, maxPerDomain) and RESERVE_RESERVED or RESERVE_DOMAIN_LIMIT
  end
end
local reply = table.concat(results)
redis.call('HSET', KEYS[1], lastCall, callId .. ' ' .. reply)
return reply
