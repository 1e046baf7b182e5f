-- Withdraws a job's queued URLs of hosts, or queues them again.
local job, excluded = arguments(2)
while hasArguments() do
  local host = arguments(1)
  local h = hostKey(host)
  if (redis.call('HEXISTS', h, HOST_EXCLUDED .. job) == 1) ~= (excluded == '1') then
    local waiting = (tonumber(redis.call('HGET', h, HOST_QUEUED .. job)) or 0) + redis.call('ZCARD', delayed(job, host))
    countQueued(host, job, -waiting)
    if excluded == '1' then
      redis.call('HSET', h, HOST_EXCLUDED .. job, 1)
    else
      redis.call('HDEL', h, HOST_EXCLUDED .. job)
    end
    countQueued(host, job, waiting)
    place(host)
  end
end
return '1'
