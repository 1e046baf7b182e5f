-- Gives a job other settings. KEYS[1] the job; ARGV: settings, note, weight.
-- Answers 1, or '' when there is no such job.
if redis.call('HEXISTS', KEYS[1], 'state') == 0 then
  return ''
end
redis.call('HSET', KEYS[1], 'settings', ARGV[1], 'note', ARGV[2], 'weight', ARGV[3])
redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('INCR', (string.gsub(KEYS[1], ':job:%d+$', ':news')))
return '1'
