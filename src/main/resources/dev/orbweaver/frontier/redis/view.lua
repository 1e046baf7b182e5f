-- The shard's figures: hosts ever met, hosts held, hosts that rest, end of the hold after a restart, then for
-- each job: number, counters, hosts ready, hosts waiting, next host that waits, its time.
local out = {
  tostring(redis.call('HGET', meta, 'hosts') or 0),
  tostring(redis.call('ZCARD', base .. ':busy')),
  tostring(redis.call('ZCOUNT', base .. ':rest', '(' .. now, '+inf')),
  tostring(hold),
  {},
}
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
