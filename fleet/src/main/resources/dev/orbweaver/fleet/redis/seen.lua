-- Replies with a letter for each URL: whether the job has seen it, or any URL of its host.
local job = arguments(1)
local results = {}
while hasArguments() do
  local host, lowBits, fingerprint = arguments(3)
  if isKnown(job, tonumber(lowBits), fingerprint) then
    results[#results + 1] = SEEN_KNOWN
  else
    results[#results + 1] = redis.call('HEXISTS', acceptedKey(job), host) == 1 and SEEN_NEW or SEEN_FIRST_OF_HOST
  end
end
return table.concat(results)
