-- Stores a delay that a worker has read for a host that another worker has claimed. The holder gets
-- it with its next call, and it is stored until the call after that.
local host, delayMillis = arguments(2)
local h = hostKey(host)
local before = tonumber(redis.call('HGET', h, HOST_REPORTED_DELAY)) or 0
redis.call('HSET', h, HOST_REPORTED_DELAY, integer(math.max(before, tonumber(delayMillis))))
redis.call('HDEL', h, HOST_DELAY_SENT)
return '1'
