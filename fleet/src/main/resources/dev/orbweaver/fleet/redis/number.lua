-- Returns the number of a new job. KEYS[1] is the last one. It is one more than the last and at
-- least the seconds since 2026: so a Redis that has lost its data, and with it the last number,
-- does not reuse a number.
local EPOCH = 1767225600
local before = tonumber(redis.call('GET', KEYS[1])) or 0
local number = integer(math.max(before + 1, tonumber(redis.call('TIME')[1]) - EPOCH))
redis.call('SET', KEYS[1], number)
return number
