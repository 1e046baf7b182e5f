-- Grants a worker some of the pages that a job may still have. KEYS[1] what each worker may still make of them; ARGV: now,
-- worker, limit, pages that the job has, leases that the worker has out, after how long without a call a worker's part is void.
-- Answers how many URLs it may lease before it asks again. A worker's part covers its leases until its next call.
local now, me, ttl = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[6])
local free, live = tonumber(ARGV[3]) - tonumber(ARGV[4]) - tonumber(ARGV[5]), 1
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local count, at = string.match(all[i + 1], '^(%d+) (%d+)$')
  if tonumber(at) + ttl < now then
    redis.call('HDEL', KEYS[1], all[i])
  elseif all[i] ~= me then
    free = free - tonumber(count)
    live = live + 1
  end
end
-- Half of an equal share: who is faster asks again, and nobody waits long for what another does not use.
local grant = free > 0 and math.min(1024, math.max(1, math.floor(free / (2 * live)))) or 0
redis.call('HSET', KEYS[1], me, string.format('%d %d', tonumber(ARGV[5]) + grant, now))
redis.call('PEXPIRE', KEYS[1], 10 * ttl)
return string.format('%d', grant)
