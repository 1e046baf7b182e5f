-- Chooses the process that sends the notification of a change of a job's state. KEYS[1] is the job.
-- Replies 1 to the first caller for this change, 0 to all others, after a later change, and if the
-- job does not exist.
local changeMillis = arguments(1)
local v = redis.call('HMGET', KEYS[1], JOB_NOTIFIED, JOB_STATE)
if not v[2] or (v[1] and tonumber(v[1]) >= tonumber(changeMillis)) then
  return '0'
end
redis.call('HSET', KEYS[1], JOB_NOTIFIED, changeMillis)
return '1'
