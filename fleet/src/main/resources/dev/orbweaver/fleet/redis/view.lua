-- Returns the statistics of the shard: hosts ever seen, hosts claimed, hosts that rest, end of the
-- pause after a restart, then for each job: number, counters, hosts due, hosts that wait, the first
-- of these, when it is due; none for a job that is paused or has ended. Last the host that rests
-- for longest: name, until when, its state, its jobs.
local jobs, longest = {}, {}
local resting = redis.call('ZREVRANGEBYSCORE', base .. KEY_RESTING_HOSTS, '+inf', '(' .. now, 'WITHSCORES', 'LIMIT', 0, 1)
if resting[1] then
  local v = redis.call('HMGET', hostKey(resting[1]), HOST_STATE, HOST_JOBS)
  longest = { resting[1], integer(resting[2]), v[1] or '', v[2] or '' }
end
for _, job in ipairs(redis.call('SMEMBERS', base .. KEY_JOBS)) do
  local due, first, ready, waiting = dueKey(job), {}, 0, 0
  if redis.call('SISMEMBER', base .. KEY_PAUSED, job) == 0 then
    first = redis.call('ZRANGEBYSCORE', due, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    ready = redis.call('ZCOUNT', due, '-inf', now)
    waiting = redis.call('ZCOUNT', due, '(' .. now, '+inf')
  end
  jobs[#jobs + 1] = {
    job,
    redis.call('HGETALL', countersKey(job)),
    integer(ready),
    integer(waiting),
    first[1] and hostOfMember(first[1]) or '',
    first[2] and integer(first[2]) or '',
  }
end
return {
  redis.call('HGET', meta, SHARD_HOSTS) or '0',
  integer(redis.call('ZCARD', base .. KEY_CLAIMED_HOSTS)),
  integer(redis.call('ZCOUNT', base .. KEY_RESTING_HOSTS, '(' .. now, '+inf')),
  integer(pausedUntil),
  jobs,
  longest,
}
