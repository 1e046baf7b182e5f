-- Leases the gate of an address, a domain or a group to one worker at a time. KEYS[1] is the gate.
-- Replies with a letter and a time: the end of the lease, or when to retry.
-- The holder of an expired lease may have sent its last request at the end, so the delay counts
-- from there.
local now, holder, leaseMillis, contendedMillis, delayMillis, renew = arguments(6)
local time, delay = tonumber(now), tonumber(delayMillis)
local v = redis.call('HMGET', KEYS[1], 'own', 'until', 'dl', 'want', 'back')
local owner, ends, wanted, standsBack = v[1], tonumber(v[2]) or 0, v[4], v[5]
local mine = owner == holder
local contended = wanted and wanted ~= holder

local function lease(to)
  redis.call('HSET', KEYS[1], 'own', holder, 'until', to, 'dl', delayMillis)
  redis.call('PEXPIRE', KEYS[1], to - time + 2 * delay + 60000)
  return GATE_LEASED .. integer(to)
end

if renew == '1' then
  if owner and not mine then
    return GATE_REVOKED
  end
  if contended then
    redis.call('HSET', KEYS[1], 'back', 1) -- Requests in flight may end; the holder sends no more before the others' turn.
  end
  return lease(math.max(ends, time + (contended and contendedMillis or leaseMillis)))
end
local freeAt = ends + math.max(delay, tonumber(v[3]) or 0)
if owner and not mine and freeAt > time then
  redis.call('HSET', KEYS[1], 'want', holder)
  return GATE_BUSY .. integer(freeAt)
end
local myTurnAt = ends + 2 * delay + 1000
if mine and contended and myTurnAt > time then
  -- Another worker waits: the lease is not extended, and its holder yields for a moment.
  if ends > time and not standsBack then
    return GATE_LEASED .. integer(ends)
  end
  return GATE_BUSY .. integer(myTurnAt)
end
redis.call('HDEL', KEYS[1], 'want', 'back')
return lease(time + (wanted and contendedMillis or leaseMillis))
