-- The shard's figures: hosts ever met, hosts held, hosts that rest, end of the hold after a restart, then for
-- each job: number, counters, hosts ready, hosts waiting, next host that waits, its time. Last the host that rests
-- for longest: name, until when, its state, its jobs.
local out = {
  tostring(redis.call('HGET', meta, 'hosts') or 0),
  tostring(redis.call('ZCARD', base .. ':busy')),
  tostring(redis.call('ZCOUNT', base .. ':rest', '(' .. now, '+inf')),
  tostring(hold),
  {},
  {},
}
local resting = redis.call('ZREVRANGEBYSCORE', base .. ':rest', '+inf', '(' .. now, 'WITHSCORES', 'LIMIT', 0, 1)
if resting[1] then
  local state = redis.call('HMGET', hostKey(resting[1]), 'blob', 'jobs')
  out[6] = { resting[1], resting[2], state[1] or '', state[2] or '' }
end
for _, job in ipairs(redis.call('SMEMBERS', base .. ':jobs')) do
  local w = base .. ':w:' .. job
  local first = redis.call('ZRANGEBYSCORE', w, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  local jobs = out[5]
  jobs[#jobs + 1] = {
    job,
    redis.call('HGETALL', base .. ':t:' .. job),
    tostring(redis.call('ZCOUNT', w, '-inf', now)),
    tostring(redis.call('ZCOUNT', w, '(' .. now, '+inf')),
    first[1] and string.sub(first[1], 13) or '',
    first[2] or '',
  }
end
return out
