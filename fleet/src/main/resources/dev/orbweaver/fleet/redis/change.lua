-- Replaces the settings of a job. KEYS[1] is the job. Replies 1, or nothing if the job does not
-- exist.
local settings, note, weight = arguments(3)
if redis.call('HEXISTS', KEYS[1], JOB_STATE) == 0 then
  return ''
end
redis.call('HSET', KEYS[1], JOB_SETTINGS, settings, JOB_NOTE, note, JOB_WEIGHT, weight)
redis.call('HINCRBY', KEYS[1], JOB_VERSION, 1)
redis.call('HINCRBY', (string.gsub(KEYS[1], JOB_KEY .. '%d+$', CHARTER_KEY)), JOBS_VERSION, 1)
return '1'
