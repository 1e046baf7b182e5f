-- Grants a worker some of the pages that a job may still have. KEYS[1] has the part of each worker.
-- Replies how many URLs it may lease before it asks again. A worker's part covers its leases until its next call.
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
-- Half of an equal share: a faster worker asks again, and none waits long for what another does not use.
local grant = free > 0 and math.min(GRANT_MAX, math.max(1, math.floor(free / (2 * live)))) or 0
redis.call('HSET', KEYS[1], worker, integer(leased + grant) .. ' ' .. now)
redis.call('PEXPIRE', KEYS[1], 10 * ttlMillis)
return integer(grant)
