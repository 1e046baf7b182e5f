-- Replies with the first elements of queues of a job.
local job, max = arguments(2)
local queues = {}
while hasArguments() do
  local host, rank = arguments(2)
  queues[#queues + 1] = redis.call('LRANGE', queue(job, rank, host), 0, max - 1)
end
return queues
