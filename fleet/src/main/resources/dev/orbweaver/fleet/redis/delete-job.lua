-- Forgets a job, so many hosts at a time. ARGV: job, number of hosts. Answers 1 while there is more.
local job, limit = ARGV[6], tonumber(ARGV[7])
local all = base .. ':jh:' .. job
local overflows = redis.call('EXISTS', base .. ':f') == 1
local function leave(record)
  local count, file = stretch(record)
  if count then
    refer(file, -1)
  end
end
-- Any of them: a scan from the beginning finds nothing where many were deleted.
local some = redis.call('HRANDFIELD', all, limit)
redis.call('SREM', base .. ':jobs', job)
for _, host in ipairs(some) do
  local h, c = hostKey(host), base .. ':c:' .. host
  local member = redis.call('HGET', h, 'm')
  if member then
    redis.call('ZREM', base .. ':w:' .. job, member)
  end
  for band = 0, 3 do
    if overflows then
      for _, record in ipairs(redis.call('LRANGE', queue(job, band, host), 0, -1)) do
        leave(record)
      end
    end
    redis.call('DEL', queue(job, band, host))
  end
  redis.call('DEL', delayed(job, host))
  redis.call('HDEL', h, 'n:' .. job, 'x:' .. job)
  local left = {}
  for other in string.gmatch(redis.call('HGET', h, 'jobs') or '', '%d+') do
    if other ~= job then
      left[#left + 1] = other
    end
  end
  if #left > 0 then
    redis.call('HSET', h, 'jobs', table.concat(left, ','))
  else
    redis.call('HDEL', h, 'jobs', 'm')
  end
  for _, id in ipairs(redis.call('HKEYS', c)) do
    if idJob(id) == job then
      redis.call('HDEL', c, id)
    end
  end
  redis.call('HDEL', all, host)
  place(host)
end
if redis.call('EXISTS', all) == 1 then
  return '1'
end
local buckets = tonumber(redis.call('HGET', base .. ':s:' .. job, 'b')) or 1
local left = limit
while buckets > 0 and left > 0 do
  buckets = buckets - 1
  left = left - 1
  redis.call('DEL', base .. ':s:' .. job .. ':' .. buckets)
end
if buckets > 0 then
  redis.call('HSET', base .. ':s:' .. job, 'b', buckets)
  return '1'
end
for _, record in ipairs(redis.call('SMEMBERS', base .. ':dr:' .. job)) do
  leave(record)
end
redis.call('DEL', base .. ':dr:' .. job, base .. ':s:' .. job, base .. ':t:' .. job, base .. ':w:' .. job, base .. ':dead:' .. job)
redis.call('HDEL', meta, 'pass:' .. job)
return '0'
