-- Withdraws what a job has waiting on hosts, or lets it wait again. ARGV: job, 1 or 0, hosts.
local job, out = ARGV[6], ARGV[7] == '1'
for i = 8, #ARGV do
  local host = ARGV[i]
  local h = hostKey(host)
  if (redis.call('HEXISTS', h, 'x:' .. job) == 1) ~= out then
    local waiting = (tonumber(redis.call('HGET', h, 'n:' .. job)) or 0) + redis.call('ZCARD', delayed(job, host))
    waits(host, job, -waiting)
    if out then
      redis.call('HSET', h, 'x:' .. job, 1)
    else
      redis.call('HDEL', h, 'x:' .. job)
    end
    waits(host, job, waiting)
    place(host)
  end
end
return 'OK'
