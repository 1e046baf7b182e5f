-- Where one URL is. ARGV: job, host, id, low 32 bits and decimal text of its fingerprint.
-- Answers: never, 1 when the job has URLs of the host | settled | held record | dead cause-and-record | queued record ahead due excluded.
local job, host, id, bits, member = ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9]), ARGV[10]
local h, key = hostKey(host), string.sub(id, string.find(id, ':', 1, true) + 1)
local held = redis.call('HGET', base .. ':c:' .. host, id)
if held then
  return { 'held', string.sub(held, 7) }
end
local dead = redis.call('HGET', base .. ':dead:' .. job, id)
if dead then
  return { 'dead', dead }
end
local v = redis.call('HMGET', h, 'dly', 'rest', 'x:' .. job)
local ask = math.max(tonumber(v[1]) or 0, tonumber(v[2]) or 0)
local ahead = 0
for band = 0, 3 do
  for _, record in ipairs(redis.call('LRANGE', queue(job, band, host), 0, -1)) do
    if string.sub(record, 15, 24) == key then
      return { 'queued', record, tostring(ahead), string.format('%d', ask), v[3] or '' }
    end
    ahead = ahead + 1
  end
end
for _, record in ipairs(redis.call('ZRANGE', delayed(job, host), 0, -1)) do
  if string.sub(record, 15, 24) == key then
    local due = math.max(ask, tonumber(string.sub(record, 2, 14)))
    return { 'queued', record, tostring(ahead), string.format('%d', due), v[3] or '' }
  end
  ahead = ahead + 1
end
local b = tonumber(redis.call('HGET', base .. ':s:' .. job, 'b')) or 1
local p = 1
while p * 2 <= b do
  p = p * 2
end
local i = bits % (2 * p)
if i >= b then
  i = i - p
end
if redis.call('SISMEMBER', base .. ':s:' .. job .. ':' .. i, member) == 1 then
  return { 'settled' }
end
return { 'never', tostring(redis.call('HEXISTS', base .. ':jh:' .. job, host)) }
