-- Reads what was observed on the pages of hosts. Replies with the fields of each host.
local job = arguments(1)
local all = {}
while hasArguments() do
  local host = arguments(1)
  all[#all + 1] = redis.call('HGETALL', ratesKey(job, host))
end
return all
