-- Where one URL is. ARGV: job, host, id, low 32 bits and decimal text of its fingerprint.
-- Answers: never | settled | held record until | dead cause-and-record | queued record ahead due excluded |
-- cold due excluded met, then of each stretch in a file where it may be: stretch, how many are ahead of it, or -1 among the dead.
local job, host, id, bits, member = ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9]), ARGV[10]
local h, key = hostKey(host), string.sub(id, string.find(id, ':', 1, true) + 1)
local held = redis.call('HGET', base .. ':c:' .. host, id)
if held then
  return { 'held', string.sub(held, 7), redis.call('ZSCORE', base .. ':busy', host) or '0' }
end
local dead = redis.call('HGET', base .. ':dead:' .. job, id)
if dead then
  return { 'dead', dead }
end
local v = redis.call('HMGET', h, 'dly', 'rest', 'x:' .. job)
local ask = math.max(tonumber(v[1]) or 0, tonumber(v[2]) or 0)
local ahead, cold = 0, { 'cold', string.format('%d', ask), v[3] or '', '' }
for band = 0, 3 do
  for _, record in ipairs(redis.call('LRANGE', queue(job, band, host), 0, -1)) do
    local count = stretch(record)
    if count then
      cold[#cold + 1] = record
      cold[#cold + 1] = string.format('%d', ahead)
    elseif string.sub(record, 15, 24) == key then
      return { 'queued', record, string.format('%d', ahead), string.format('%d', ask), v[3] or '' }
    end
    ahead = ahead + (count or 1)
  end
end
for _, record in ipairs(redis.call('ZRANGE', delayed(job, host), 0, -1)) do
  if string.sub(record, 15, 24) == key then
    local due = math.max(ask, tonumber(string.sub(record, 2, 14)))
    return { 'queued', record, string.format('%d', ahead), string.format('%d', due), v[3] or '' }
  end
  ahead = ahead + 1
end
local met = known(job, bits, member)
if met then
  for _, record in ipairs(redis.call('SMEMBERS', base .. ':dr:' .. job)) do
    cold[#cold + 1] = record
    cold[#cold + 1] = '-1'
  end
end
if #cold > 4 then
  cold[4] = met and '1' or ''
  return cold
end
return { met and 'settled' or 'never' }
