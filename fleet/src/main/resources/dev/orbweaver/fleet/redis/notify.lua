-- Chooses the process that sends the notification of a job's end. KEYS[1] is the job. Replies 1 to
-- the first caller for this end, 0 to all others and if the job does not exist.
local endMillis = arguments(1)
local v = redis.call('HMGET', KEYS[1], JOB_NOTIFIED, JOB_STATE)
if v[1] == endMillis or not v[2] then
  return '0'
end
redis.call('HSET', KEYS[1], JOB_NOTIFIED, endMillis)
return '1'
