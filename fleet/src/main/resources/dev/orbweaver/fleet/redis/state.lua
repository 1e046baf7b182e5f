-- Changes a job's state. KEYS[1] the job; ARGV: the new state, why, '1' when it failed, the version that is meant or '' for any,
-- '1' when workers are to begin anew, then the states from which it may be reached.
-- Answers 1 when it was changed, 0 when not, '' when there is no such job.
local now = redis.call('HMGET', KEYS[1], 'state', 'version')
if not now[1] then
  return ''
end
if ARGV[4] ~= '' and ARGV[4] ~= (now[2] or '0') then
  return '0'
end
for i = 6, #ARGV do
  if ARGV[i] == now[1] then
    local time = redis.call('TIME')
    local since = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
    redis.call('HSET', KEYS[1], 'state', ARGV[1], 'reason', ARGV[2], 'failed', ARGV[3], 'since', since)
    if ARGV[1] == 'running' then
      redis.call('HSETNX', KEYS[1], 'begun', since)
    end
    if ARGV[5] == '1' then
      redis.call('HINCRBY', KEYS[1], 'version', 1)
    end
    redis.call('INCR', (string.gsub(KEYS[1], ':job:%d+$', ':news')))
    return '1'
  end
end
return '0'
