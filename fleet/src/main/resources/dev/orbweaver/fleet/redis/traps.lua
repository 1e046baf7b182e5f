-- Changes balances of trap patterns. KEYS[1] has the job's balances. Replies with the balance of
-- each pattern after all changes. Repeated changes are applied once.
local worker, changesId, max, maxPatterns = arguments(4)
local lastChanges = 'last.' .. worker
local change = changesId ~= '' and redis.call('HGET', KEYS[1], lastChanges) ~= changesId
local patterns = {}
while hasArguments() do
  local pattern, by = arguments(2)
  patterns[#patterns + 1] = pattern
  if change then
    local balance = (tonumber(redis.call('HGET', KEYS[1], pattern)) or 0) + by
    redis.call('HSET', KEYS[1], pattern, math.min(balance, tonumber(max)))
  end
end
if change then
  redis.call('HSET', KEYS[1], lastChanges, changesId)
  local over = redis.call('HLEN', KEYS[1]) - maxPatterns
  if over > 0 then
    redis.call('HDEL', KEYS[1], unpack(redis.call('HRANDFIELD', KEYS[1], over)))
  end
end
local balances = {}
for i, pattern in ipairs(patterns) do
  balances[i] = redis.call('HGET', KEYS[1], pattern) or '0'
end
return table.concat(balances, ' ')
