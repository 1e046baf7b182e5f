-- Replies with a letter for each URL: whether the job has seen it, or any URL of its host, or as many
-- of its host as it allows.
local job, hostLimit = arguments(2)
hostLimit = tonumber(hostLimit)
local results = {}
while hasArguments() do
  local host, lowBits, fingerprint = arguments(3)
  if isKnown(job, tonumber(lowBits), fingerprint) then
    results[#results + 1] = SEEN_KNOWN
  else
    local accepted = tonumber(redis.call('HGET', acceptedKey(job), host))
    if hostLimit > 0 and (accepted or 0) >= hostLimit then
      results[#results + 1] = SEEN_HOST_LIMIT
    else
      results[#results + 1] = accepted and SEEN_NEW or SEEN_FIRST_OF_HOST
    end
  end
end
return table.concat(results)
