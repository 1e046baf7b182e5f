-- Adds a seed list of a job under the next number. Replies 0 if the job was deleted, else 1. Lists are
-- read in the order of their numbers, also after those that an import has read.
local job, label, id, pieces = arguments(4)
if isDeleted(job) then
  return '0'
end
local lists = base .. KEY_SEED_LISTS .. ':' .. job
local last = tonumber(redis.call('HGET', lists, SEED_LIST_LAST) or nil)
if not last then
  last = 0
  for _, list in ipairs(redis.call('HKEYS', base .. KEY_SEED_POSITIONS .. ':' .. job)) do
    last = math.max(last, tonumber(string.match(list, '^%d+')))
  end
end
redis.call('HSET', lists, SEED_LIST_LAST, integer(last + 1),
  string.format('%06d-', last + 1) .. label, pieces .. ' ' .. id)
redis.call('SADD', base .. KEY_JOBS, job)
return '1'
