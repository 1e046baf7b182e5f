-- The number of a new job. KEYS[1] the last one given. It is one more than the last and at least the seconds since 2026:
-- a Redis that has lost its data, and with it the last number, does not give a number again.
local EPOCH = 1767225600
local last = tonumber(redis.call('GET', KEYS[1])) or 0
local number = string.format('%d', math.max(last + 1, tonumber(redis.call('TIME')[1]) - EPOCH))
redis.call('SET', KEYS[1], number)
return number
