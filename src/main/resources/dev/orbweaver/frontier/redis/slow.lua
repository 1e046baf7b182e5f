-- Another worker than a host's holder has read how slowly the host is to be asked. ARGV: host, delay.
-- The holder is told with its next call and forgets nothing of it before the one after that.
redis.call('HSET', hostKey(ARGV[6]), 'slow', ARGV[7])
redis.call('HDEL', hostKey(ARGV[6]), 'told')
return 'OK'
