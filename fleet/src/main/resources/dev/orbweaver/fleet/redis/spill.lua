-- Puts a stretch in the place of URLs that lie in a file by now. ARGV: file, how long ago it may have been begun at
-- most, job, then for each: host, band, index of the first, index behind the last, the first and the last as they
-- were read, the stretch, files of stretches that are part of it now, how many of its URLs were not in a file before.
-- Answers a letter for each: 1 done, 0 the queue is another by now.
local file, job = ARGV[6], ARGV[8]
local count, since = string.match(redis.call('HGET', base .. ':f', file) or '', '^(%d+) (%d+)$')
local fit = count and (tonumber(count) > 0 or tonumber(since) + tonumber(ARGV[7]) >= now)

local function swap(at)
  local key = queue(job, ARGV[at + 1], ARGV[at])
  local from, to = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  if redis.call('LINDEX', key, from) ~= ARGV[at + 4] or redis.call('LINDEX', key, to - 1) ~= ARGV[at + 5] then
    return '0'
  end
  -- A URL is in one queue once, and queues change at their ends, so all between these two is as it was.
  local head = from > 0 and redis.call('LRANGE', key, 0, from - 1) or {}
  redis.call('LTRIM', key, to, -1)
  redis.call('LPUSH', key, ARGV[at + 6])
  for i = #head, 1, -1 do
    redis.call('LPUSH', key, head[i])
  end
  refer(file, 1)
  for other in string.gmatch(ARGV[at + 7], '%w+') do
    refer(other, -1)
  end
  tally(job, 'cold', ARGV[at + 8])
  return '1'
end

local verdicts = {}
for at = 9, #ARGV, 9 do
  verdicts[#verdicts + 1] = fit and swap(at) or '0'
end
return table.concat(verdicts)
