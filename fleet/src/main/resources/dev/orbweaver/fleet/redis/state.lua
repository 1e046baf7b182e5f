-- Changes a job's state, if it is in one of the listed states. KEYS[1] is the job. Replies 1 if it
-- was changed, 0 if not, nothing if the job does not exist.
local state, reason, failed, version, seedLists, restart = arguments(6)
local before = redis.call('HMGET', KEYS[1], JOB_STATE, JOB_VERSION, JOB_SEED_LISTS)
if not before[1] then
  return ''
end
if version ~= '' and version ~= (before[2] or '0') then
  return '0'
end
if seedLists ~= '' and seedLists ~= (before[3] or '0') then
  return '0'
end
while hasArguments() do
  local from = arguments(1)
  if from == before[1] then
    local time = redis.call('TIME')
    local since = integer(time[1] * 1000 + math.floor(time[2] / 1000))
    redis.call('HSET', KEYS[1], JOB_STATE, state, JOB_REASON, reason, JOB_FAILED, failed, JOB_SINCE, since)
    if state == STATE_RUNNING then
      redis.call('HSETNX', KEYS[1], JOB_BEGUN, since)
    end
    if restart == '1' then
      redis.call('HINCRBY', KEYS[1], JOB_VERSION, 1)
    end
    redis.call('HINCRBY', (string.gsub(KEYS[1], JOB_KEY .. '%d+$', CHARTER_KEY)), JOBS_VERSION, 1)
    return '1'
  end
end
return '0'
