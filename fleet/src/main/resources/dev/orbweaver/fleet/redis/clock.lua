-- Returns the fleet's time in microseconds: Redis's own time, except that it never goes back. If
-- Redis's clock was set back, the fleet's clock continues from its last value, ahead by the
-- difference. KEYS[1] is a hash with both.
local t = redis.call('TIME')
local v = redis.call('HMGET', KEYS[1], 'ahead', 'last')
local ahead, latest = tonumber(v[1]) or 0, tonumber(v[2]) or 0
local now = tonumber(t[1]) * 1000000 + tonumber(t[2]) + ahead
if now < latest then
  ahead = ahead + latest - now
  now = latest
  redis.call('HSET', KEYS[1], 'ahead', integer(ahead))
end
redis.call('HSET', KEYS[1], 'last', integer(now))
return integer(now)
