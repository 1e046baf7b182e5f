-- Replaces the start of a range with its URLs, at the start of a queue or among the dead letters.
-- Replies 1, or 0 if the range does not exist any more, or is not at the start of its queue.
local target, job, host, rank, range, rest = arguments(6)
local records = {}
while hasArguments() do
  local record = arguments(1)
  records[#records + 1] = record
end
local dead, key, ranges = target == LOAD_DEAD_LETTERS, queue(job, rank, host), deadRangesKey(job)
if dead then
  if redis.call('SREM', ranges, range) == 0 then
    return '0'
  end
elseif redis.call('LINDEX', key, 0) ~= range then
  return '0'
else
  redis.call('LPOP', key)
end
if rest == '' then
  local _, file = spilledRange(range)
  countRanges(file, -1)
else
  redis.call(dead and 'SADD' or 'LPUSH', dead and ranges or key, rest)
end
for i = #records, 1, -1 do
  if dead then
    addDeadLetter(job, records[i])
  else
    redis.call('LPUSH', key, records[i])
  end
end
if not dead then
  tally(job, COUNTER_SPILLED, -#records)
end
return '1'
