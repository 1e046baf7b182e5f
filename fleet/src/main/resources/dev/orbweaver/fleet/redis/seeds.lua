-- Stores how far a seed list was read, and counts its malformed lines. Replies 1, or 0 if the stored
-- position is another one than before: another worker has read the list.
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
redis.call('HSET', positions, list, after)
redis.call('SADD', base .. KEY_JOBS, job)
tally(job, REFUSED_MALFORMED, malformed)
return '1'
