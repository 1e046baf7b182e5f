-- Brings URLs of stretches back. ARGV for each: q to the beginning of their queue or d among the dead letters, job,
-- host, band, the stretch, what is left of it ('' for nothing), how many URLs, their records.
-- Answers a letter for each: 1 done, 0 the stretch is not there any more, or not at its queue's beginning.
local function bring(at, size)
  local job, element, rest = ARGV[at + 1], ARGV[at + 4], ARGV[at + 5]
  local _, file = stretch(element)
  local key, dead = queue(job, ARGV[at + 3], ARGV[at + 2]), ARGV[at] == 'd'
  local out = base .. ':dr:' .. job
  if dead and redis.call('SREM', out, element) == 0 then
    return '0'
  elseif not dead and redis.call('LINDEX', key, 0) ~= element then
    return '0'
  end
  if not dead then
    redis.call('LPOP', key)
    tally(job, 'cold', -size)
  end
  if rest == '' then
    refer(file, -1)
  else
    redis.call(dead and 'SADD' or 'LPUSH', dead and out or key, rest)
  end
  for i = size, 1, -1 do
    local record = ARGV[at + 6 + i]
    if dead then
      redis.call('HSET', base .. ':dead:' .. job, job .. ':' .. string.sub(record, 15, 24), 'host-down ' .. record)
    else
      redis.call('LPUSH', key, record)
    end
  end
  return '1'
end

local verdicts, at = {}, 6
while at <= #ARGV do
  local size = tonumber(ARGV[at + 6])
  verdicts[#verdicts + 1] = bring(at, size)
  at = at + 7 + size
end
return table.concat(verdicts)
