-- The files of a shard. ARGV: begin, how long the duty lasts, name of a new file | end | sweep, how long a file
-- that nothing refers to is kept, names of those that exist.
-- Answers: of begin 1 or nothing when another worker spills here; of sweep the files that are to be deleted.
-- A file is known here before it is made and forgotten before it is deleted, so no stretch can come to lie in one
-- that is gone.
local files, verb = base .. ':f', ARGV[6]
local duty = redis.call('HGET', meta, 'spiller')
local who, ends = string.match(duty or '', '^(%S+) (%d+)$')
if verb == 'begin' then
  if who and who ~= worker and tonumber(ends) > now then
    return {}
  end
  redis.call('HSET', meta, 'spiller', worker .. ' ' .. string.format('%d', now + tonumber(ARGV[7])))
  redis.call('HSET', files, ARGV[8], '0 ' .. string.format('%d', now))
  return { '1' }
elseif verb == 'end' then
  if who == worker then
    redis.call('HDEL', meta, 'spiller')
  end
  return {}
end
for i = 8, #ARGV do
  redis.call('HSETNX', files, ARGV[i], '0 ' .. string.format('%d', now))
end
local gone, all = {}, redis.call('HGETALL', files)
for i = 1, #all, 2 do
  local count, since = string.match(all[i + 1], '^(%d+) (%d+)$')
  if tonumber(count) == 0 and tonumber(since) + tonumber(ARGV[7]) < now then
    redis.call('HDEL', files, all[i])
    gone[#gone + 1] = all[i]
  end
end
return gone
