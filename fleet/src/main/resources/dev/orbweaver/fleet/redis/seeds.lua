-- Stores how far a seed list was read, and counts its malformed lines. Replies 1, or 0 if the stored
-- position is another one than before: another worker has read the list. A list in pieces is removed
-- after its last piece.
local job, list, before, after, malformed = arguments(5)
if isDeleted(job) then
  return '0'
end
local positions = base .. KEY_SEED_POSITIONS .. ':' .. job
local stored = redis.call('HGET', positions, list) or ''
if stored == after then
  return '1'
end
if stored ~= before then
  return '0'
end
local lists = base .. KEY_SEED_LISTS .. ':' .. job
local pieces = string.match(redis.call('HGET', lists, list) or '', '^%d+')
if not pieces and redis.call('HEXISTS', lists, SEED_LIST_LAST) == 1 then
  return '0'
end
if pieces and pieces == string.match(after, '^%d+') then
  redis.call('HDEL', lists, list)
  redis.call('HDEL', positions, list)
else
  redis.call('HSET', positions, list, after)
end
redis.call('SADD', base .. KEY_JOBS, job)
tally(job, REFUSED_MALFORMED, malformed)
return '1'
