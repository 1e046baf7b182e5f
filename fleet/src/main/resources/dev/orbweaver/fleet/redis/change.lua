-- Replaces the settings, note and weight of a job. KEYS[1] is the job. Replies 1, or nothing if the job does not
-- exist.
local settings, note, weight = arguments(3)
if redis.call('HEXISTS', KEYS[1], JOB_STATE) == 0 then
  return ''
end
local before = redis.call('HMGET', KEYS[1], JOB_SETTINGS, JOB_WEIGHT)
redis.call('HSET', KEYS[1], JOB_SETTINGS, settings, JOB_NOTE, note, JOB_WEIGHT, weight)
if before[1] ~= settings or before[2] ~= weight then
  redis.call('HINCRBY', KEYS[1], JOB_VERSION, 1) -- Its workers start it again.
end
redis.call('HINCRBY', (string.gsub(KEYS[1], JOB_KEY .. '%d+$', CHARTER_KEY)), JOBS_VERSION, 1)
return '1'
