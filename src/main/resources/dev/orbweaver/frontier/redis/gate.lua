-- The gate of an address, a domain or a group, lent to one worker at a time. KEYS[1] the gate; ARGV: now,
-- worker, loan, loan when others want it too, delay. Answers L and the loan's end, or the time to ask again.
-- When a loan has lapsed its holder may have sent its last request at the end, so the delay counts from there.
local now, worker, delay = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[5])
local v = redis.call('HMGET', KEYS[1], 'own', 'until', 'dl', 'want')
local lapses, wanted = tonumber(v[2]) or 0, v[4]
local mine = v[1] == worker
if v[1] and not mine and lapses + math.max(delay, tonumber(v[3])) > now then
  redis.call('HSET', KEYS[1], 'want', worker)
  return string.format('%d', lapses + math.max(delay, tonumber(v[3])))
end
if mine and wanted and wanted ~= worker and lapses + 2 * delay + 1000 > now then
  -- Somebody else waits: the loan is not prolonged, and its holder stands back for a moment.
  if lapses > now then
    return 'L' .. string.format('%d', lapses)
  end
  return string.format('%d', lapses + 2 * delay + 1000)
end
local ends = now + tonumber(wanted and ARGV[4] or ARGV[3])
redis.call('HSET', KEYS[1], 'own', worker, 'until', ends, 'dl', ARGV[5])
redis.call('HDEL', KEYS[1], 'want')
redis.call('PEXPIRE', KEYS[1], ends - now + 2 * delay + 60000)
return 'L' .. string.format('%d', ends)
