-- Changes a job's state. KEYS[1] the job; ARGV: the new state, then those from which it may be reached.
-- Answers 1 when it was changed, 0 when not, '' when there is no such job.
local now = redis.call('HGET', KEYS[1], 'state')
if not now then
  return ''
end
for i = 2, #ARGV do
  if ARGV[i] == now then
    redis.call('HSET', KEYS[1], 'state', ARGV[1])
    return '1'
  end
end
return '0'
