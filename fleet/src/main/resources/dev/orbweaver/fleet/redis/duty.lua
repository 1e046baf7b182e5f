-- Makes a worker the one that queues the due pages of a job, renews that, or ends it; and stores what
-- that worker knows. Replies: whether the caller is that worker, its token, what is known.
local now, holder, leaseMillis, state = arguments(4)
local v = redis.call('HMGET', KEYS[1], 'holder', 'until', 'token', 'state')
local token, known = tonumber(v[3]) or 0, v[4] or ''
now = tonumber(now)
if v[1] ~= holder then
  if leaseMillis == '0' or v[1] and now <= tonumber(v[2]) then
    return { '', integer(token), known }
  end
  token = token + 1
  redis.call('HSET', KEYS[1], 'holder', holder, 'token', integer(token))
elseif state ~= '' then
  known = state
  redis.call('HSET', KEYS[1], 'state', state)
end
redis.call('HSET', KEYS[1], 'until', integer(now + leaseMillis))
if leaseMillis == '0' then
  redis.call('HDEL', KEYS[1], 'holder')
  return { '', integer(token), known }
end
return { '1', integer(token), known }
