-- Who is to tell of a job's end. KEYS[1] the job; ARGV: which end.
-- Answers 1 to the first who asks, 0 to all others and of a job that is not there.
if redis.call('HGET', KEYS[1], 'told') == ARGV[1] or redis.call('HEXISTS', KEYS[1], 'state') == 0 then
  return '0'
end
redis.call('HSET', KEYS[1], 'told', ARGV[1])
return '1'
