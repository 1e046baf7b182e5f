-- Another worker than a host's holder has read how slowly the host is to be asked. ARGV: host, delay.
-- The holder is told with its next call and forgets nothing of it before the one after that.
local before = tonumber(redis.call('HGET', hostKey(ARGV[6]), 'slow')) or 0
redis.call('HSET', hostKey(ARGV[6]), 'slow', string.format('%d', math.max(before, tonumber(ARGV[7]))))
redis.call('HDEL', hostKey(ARGV[6]), 'told')
return 'OK'
