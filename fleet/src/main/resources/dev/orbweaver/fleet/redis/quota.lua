-- Grants a worker some of the remaining pages of a job. KEYS[1] has the grant of each worker.
-- Replies how many URLs it may lease before its next call. A grant covers the worker's leases until
-- that call.
local GRANT_MAX = 1024
local now, worker, limit, pages, leased, ttlMillis = arguments(6)
local free, live = limit - pages - leased, 1
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local count, at = string.match(all[i + 1], '^(%d+) (%d+)$')
  if at + ttlMillis < tonumber(now) then
    redis.call('HDEL', KEYS[1], all[i])
  elseif all[i] ~= worker then
    free = free - count
    live = live + 1
  end
end
-- Half of an equal share: a faster worker calls again, and none waits long for pages that another
-- does not use.
local grant = free > 0 and math.min(GRANT_MAX, math.max(1, math.floor(free / (2 * live)))) or 0
redis.call('HSET', KEYS[1], worker, integer(leased + grant) .. ' ' .. now)
redis.call('PEXPIRE', KEYS[1], 10 * ttlMillis)
return integer(grant)
