-- The fleet's time in microseconds: Redis's own, but never going back. When Redis's clock was set back the
-- fleet's runs on from where it was, ahead by as much. KEYS[1] what is remembered of it.
local t = redis.call('TIME')
local v = redis.call('HMGET', KEYS[1], 'ahead', 'last')
local ahead, last = tonumber(v[1]) or 0, tonumber(v[2]) or 0
local now = tonumber(t[1]) * 1000000 + tonumber(t[2]) + ahead
if now < last then
  ahead = ahead + last - now
  now = last
  redis.call('HSET', KEYS[1], 'ahead', string.format('%d', ahead))
end
redis.call('HSET', KEYS[1], 'last', string.format('%d', now))
return string.format('%d', now)
