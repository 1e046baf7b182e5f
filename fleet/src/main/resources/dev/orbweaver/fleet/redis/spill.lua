-- Replaces URLs of queues with ranges of a file, if the queues have not changed since they were
-- read. Replies 1 or 0 for each queue.
local file, maxAgeMillis, job = arguments(3)
local count, since = readFile(redis.call('HGET', base .. KEY_FILES, file))
local usable = count and (count > 0 or since + maxAgeMillis >= now)

local function swap(key, from, to, first, last, range, mergedFiles, urlsInRedis)
  if redis.call('LINDEX', key, from) ~= first or redis.call('LINDEX', key, to - 1) ~= last then
    return '0'
  end
  -- A URL is in one queue once, and queues change only at their ends, so everything between these
  -- two is unchanged.
  local head = tonumber(from) > 0 and redis.call('LRANGE', key, 0, from - 1) or {}
  redis.call('LTRIM', key, to, -1)
  redis.call('LPUSH', key, range)
  for i = #head, 1, -1 do
    redis.call('LPUSH', key, head[i])
  end
  countRanges(file, 1)
  for merged in string.gmatch(mergedFiles, '%w+') do
    countRanges(merged, -1)
  end
  tally(job, COUNTER_SPILLED, urlsInRedis)
  return '1'
end

local results = {}
while hasArguments() do
  local host, rank, from, to, first, last, range, mergedFiles, urlsInRedis = arguments(9)
  results[#results + 1] = usable
    and swap(queue(job, rank, host), from, to, first, last, range, mergedFiles, urlsInRedis) or '0'
end
return table.concat(results)
