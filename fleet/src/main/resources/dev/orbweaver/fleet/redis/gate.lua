-- The gate of an address, a domain or a group, lent to one worker at a time. KEYS[1] the gate; ARGV: now,
-- worker, loan, loan when others want it too, delay, r to renew the loan for requests in flight.
-- Answers L and the loan's end, or the time to ask again; X when a loan cannot be renewed as another worker has the gate.
-- When a loan has lapsed its holder may have sent its last request at the end, so the delay counts from there.
local now, worker, delay = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[5])
local v = redis.call('HMGET', KEYS[1], 'own', 'until', 'dl', 'want', 'back')
local lapses, wanted = tonumber(v[2]) or 0, v[4]
local mine = v[1] == worker
local contended = wanted and wanted ~= worker

local function lend(ends)
  redis.call('HSET', KEYS[1], 'own', worker, 'until', ends, 'dl', ARGV[5])
  redis.call('PEXPIRE', KEYS[1], ends - now + 2 * delay + 60000)
  return 'L' .. string.format('%d', ends)
end

if ARGV[6] == 'r' then
  if v[1] and not mine then
    return 'X'
  end
  if contended then
    redis.call('HSET', KEYS[1], 'back', 1) -- Its requests may end; it sends no more before the others' turn.
  end
  return lend(math.max(lapses, now + tonumber(contended and ARGV[4] or ARGV[3])))
end
if v[1] and not mine and lapses + math.max(delay, tonumber(v[3])) > now then
  redis.call('HSET', KEYS[1], 'want', worker)
  return string.format('%d', lapses + math.max(delay, tonumber(v[3])))
end
if mine and contended and lapses + 2 * delay + 1000 > now then
  -- Somebody else waits: the loan is not prolonged, and its holder stands back for a moment.
  if lapses > now and not v[5] then
    return 'L' .. string.format('%d', lapses)
  end
  return string.format('%d', lapses + 2 * delay + 1000)
end
local ends = now + tonumber(wanted and ARGV[4] or ARGV[3])
redis.call('HDEL', KEYS[1], 'want', 'back')
return lend(ends)
