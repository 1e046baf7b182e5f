-- Manages the files of a shard: announces a new one before a worker moves URLs there, ends the
-- move, or sweeps.
-- Replies: of begin 1, or nothing if another worker moves URLs of this shard; of sweep the files to
-- delete. A file is recorded before it is created and removed from the record before it is deleted,
-- so no range refers to a deleted file.
local action, millis = arguments(2)
local names = {}
while hasArguments() do
  local file = arguments(1)
  names[#names + 1] = file
end
local files = base .. KEY_FILES
local holder, ends = string.match(redis.call('HGET', meta, 'spiller') or '', '^(%S+) (%d+)$')
if action == FILES_END then
  if holder == worker then
    redis.call('HDEL', meta, 'spiller')
  end
  return {}
elseif action == FILES_BEGIN and holder and holder ~= worker and tonumber(ends) > now then
  return {}
end
for _, file in ipairs(names) do
  redis.call('HSETNX', files, file, '0 ' .. integer(now))
end
if action == FILES_BEGIN then
  redis.call('HSET', meta, 'spiller', worker .. ' ' .. integer(now + millis))
  return { '1' }
end
local orphans, all = {}, redis.call('HGETALL', files)
for i = 1, #all, 2 do
  local count, since = readFile(all[i + 1])
  if count == 0 and since + millis < now then
    redis.call('HDEL', files, all[i])
    orphans[#orphans + 1] = all[i]
  end
end
return orphans
