-- Deletes a job's data, up to a number of hosts or of buckets of the seen set. Replies 1 while
-- there is more.
local job, maxHosts = arguments(2)
local accepted, seen = acceptedKey(job), seenKey(job)
local hasFiles = redis.call('EXISTS', base .. KEY_FILES) == 1
local function forget(record)
  local count, file = spilledRange(record)
  if count then
    countRanges(file, -1)
  end
end
-- Any fields: a scan from the start finds nothing if many were deleted.
local some = redis.call('HRANDFIELD', accepted, maxHosts)
redis.call('SREM', base .. KEY_JOBS, job)
for _, host in ipairs(some) do
  local h, c = hostKey(host), claimedKey(host)
  local member = redis.call('HGET', h, HOST_MEMBER)
  if member then
    redis.call('ZREM', dueKey(job), member)
  end
  for rank in eachRank() do
    if hasFiles then
      for _, record in ipairs(redis.call('LRANGE', queue(job, rank, host), 0, -1)) do
        forget(record)
      end
    end
    redis.call('DEL', queue(job, rank, host))
  end
  redis.call('DEL', delayed(job, host))
  redis.call('HDEL', h, HOST_QUEUED .. job, HOST_EXCLUDED .. job)
  local left = {}
  for other in eachJob(redis.call('HGET', h, HOST_JOBS)) do
    if other ~= job then
      left[#left + 1] = other
    end
  end
  if #left > 0 then
    redis.call('HSET', h, HOST_JOBS, table.concat(left, ','))
  else
    redis.call('HDEL', h, HOST_JOBS, HOST_MEMBER)
  end
  for _, id in ipairs(redis.call('HKEYS', c)) do
    if jobOf(id) == job then
      redis.call('HDEL', c, id)
    end
  end
  redis.call('DEL', ratesKey(job, host))
  redis.call('HDEL', accepted, host)
  place(host)
end
if redis.call('EXISTS', accepted) == 1 then
  return '1'
end
local slots = revisitsKey(job)
for _, slot in ipairs(redis.call('ZRANGE', slots, 0, maxHosts - 1)) do
  redis.call('DEL', slots .. ':' .. slot)
  redis.call('ZREM', slots, slot)
end
if redis.call('EXISTS', slots) == 1 then
  return '1'
end
local buckets = tonumber(redis.call('HGET', seen, SEEN_BUCKETS)) or 1
local left = math.max(0, buckets - maxHosts)
for i = left, buckets - 1 do
  redis.call('DEL', seen .. ':' .. i)
end
if left > 0 then
  redis.call('HSET', seen, SEEN_BUCKETS, left)
  return '1'
end
for _, record in ipairs(redis.call('SMEMBERS', deadRangesKey(job))) do
  forget(record)
end
redis.call('DEL', deadRangesKey(job), seen, countersKey(job), dueKey(job), deadKey(job),
  base .. KEY_SEED_POSITIONS .. ':' .. job, base .. KEY_SEED_LISTS .. ':' .. job)
redis.call('HDEL', base .. KEY_LAST_CALLS, SEED_READER .. job)
redis.call('HDEL', meta, SHARD_PASS .. job, SHARD_REVISITS .. job)
return '0'
