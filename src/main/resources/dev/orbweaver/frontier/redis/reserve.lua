-- Keeps a job's places under a limit. KEYS[1] the job's places; ARGV: name, by, limit. Answers 1 when there is room.
local now = tonumber(redis.call('HGET', KEYS[1], ARGV[1])) or 0
local by = tonumber(ARGV[2])
if by > 0 and now + by > tonumber(ARGV[3]) then
  return '0'
end
redis.call('HINCRBY', KEYS[1], ARGV[1], by)
return '1'
