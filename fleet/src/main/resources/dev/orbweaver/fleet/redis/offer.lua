-- Takes in URLs. ARGV: counters (number, then job, field, by each), then for each URL: mode, job, host, limit,
-- low 32 bits and decimal text of its fingerprint, its band on a host hardly known and on another, record.
-- Modes: o offer, p the same once more, x offer of an excluded host, r arrives from another host, put first.
-- Answers a letter for each: 1 taken in, 0 met before, L over the limit, X excluded, G its job was deleted.
local done = repeated()
if done then
  return done
end

local LOAD = 200
local WORD = 4294967296

-- The low 32 bits of a decimal number of up to 64 bits, in steps that a double holds exactly.
local function low(text)
  local from, negative = 1, string.sub(text, 1, 1) == '-'
  if negative then
    from = 2
  end
  local rest, size = 0, #text
  while from <= size do
    local upto = math.min(from + 5, size)
    rest = (rest * 10 ^ (upto - from + 1) + tonumber(string.sub(text, from, upto))) % WORD
    from = upto + 1
  end
  return negative and (WORD - rest) % WORD or rest
end

local function power(buckets)
  local p = 1
  while p * 2 <= buckets do
    p = p * 2
  end
  return p
end

-- Linear hashing (Litwin, 1980): buckets are split one by one, each on one more of its members' own bits, so
-- that none grows to where Redis gives up the packed form.
local seen = {}
local function seenOf(job)
  local s = seen[job]
  if not s then
    local v = redis.call('HMGET', base .. ':s:' .. job, 'n', 'b')
    s = { n = tonumber(v[1]) or 0, b = tonumber(v[2]) or 1 }
    s.p = power(s.b)
    seen[job] = s
  end
  return s
end

local function bucket(job, s, bits)
  local i = bits % (2 * s.p)
  if i >= s.b then
    i = i - s.p
  end
  return base .. ':s:' .. job .. ':' .. i
end

local function split(job, s)
  s.p = power(s.b)
  local from = base .. ':s:' .. job .. ':' .. (s.b - s.p)
  local stay, go = {}, {}
  for _, member in ipairs(redis.call('SMEMBERS', from)) do
    if low(member) % (2 * s.p) == s.b then
      go[#go + 1] = member
    else
      stay[#stay + 1] = member
    end
  end
  if #go > 0 then
    redis.call('DEL', from)
    if #stay > 0 then
      redis.call('SADD', from, unpack(stay))
    end
    redis.call('SADD', base .. ':s:' .. job .. ':' .. s.b, unpack(go))
  end
  s.b = s.b + 1
  s.p = power(s.b)
end

local function remember(job, bits, member)
  local s = seenOf(job)
  if redis.call('SADD', bucket(job, s, bits), member) == 0 then
    return false
  end
  s.n = s.n + 1
  s.changed = true
  if s.n > s.b * LOAD then
    split(job, s)
  end
  return true
end

local function met(job, bits, member)
  return redis.call('SISMEMBER', bucket(job, seenOf(job), bits), member) == 1
end

local hosts, order, counts = {}, {}, {}
local function count(job, field, by)
  local c = counts[job]
  if not c then
    c = {}
    counts[job] = c
  end
  c[field] = (c[field] or 0) + by
end

local function hostOf(host)
  local v = hosts[host]
  if not v then
    local f = redis.call('HMGET', hostKey(host), 'tok', 'pages', 'jobs')
    v = { held = f[1], pages = tonumber(f[2]) or 0, jobs = {}, place = false }
    for job in string.gmatch(f[3] or '', '%d+') do
      v.jobs[job] = true
    end
    if not f[3] and redis.call('EXISTS', hostKey(host)) == 0 then
      redis.call('HINCRBY', meta, 'hosts', 1)
    end
    hosts[host] = v
    order[#order + 1] = host
  end
  return v
end

local function enqueue(job, host, record, band, first)
  local v = hostOf(host)
  if not v.jobs[job] then
    addJob(host, job)
    v.jobs[job] = true
  end
  redis.call(first and 'LPUSH' or 'RPUSH', queue(job, band, host), record)
  if redis.call('HINCRBY', hostKey(host), 'n:' .. job, 1) == 1 or first then
    v.place = true
  end
  if redis.call('HEXISTS', hostKey(host), 'x:' .. job) == 1 then
    count(job, 'wd', 1)
    count(job, 'r.excluded', 1)
  else
    count(job, 'q', 1)
  end
end

local deleted = {}
local function isGone(job)
  if deleted[job] == nil then
    deleted[job] = gone(job)
  end
  return deleted[job]
end

local function take(at)
  local mode, job, host, limit = ARGV[at], ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3])
  if isGone(job) then
    return 'G'
  end
  local bits, member, record = tonumber(ARGV[at + 4]), ARGV[at + 5], ARGV[at + 8]
  local accepted = base .. ':jh:' .. job
  if mode == 'r' then
    enqueue(job, host, record, string.sub(record, 1, 1), true)
    return '1'
  elseif mode == 'x' or limit > 0 then
    if met(job, bits, member) then
      count(job, 'dup', mode == 'p' and 0 or 1)
      return '0'
    elseif mode == 'x' then
      count(job, 'r.excluded', 1)
      return 'X'
    elseif (tonumber(redis.call('HGET', accepted, host)) or 0) >= limit then
      count(job, 'r.host-limit', 1)
      return 'L'
    end
  end
  if not remember(job, bits, member) then
    count(job, 'dup', mode == 'p' and 0 or 1)
    return '0'
  end
  redis.call('HINCRBY', accepted, host, 1)
  count(job, 'acc', 1)
  local band = hostOf(host).pages < 10 and ARGV[at + 6] or ARGV[at + 7]
  enqueue(job, host, band .. NEVER .. record, band, false)
  return '1'
end

local at = 7
for i = 1, tonumber(ARGV[6]) do
  if not isGone(ARGV[at]) then
    count(ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]))
  end
  at = at + 3
end
local verdicts = {}
while at <= #ARGV do
  verdicts[#verdicts + 1] = take(at)
  at = at + 9
end
for _, host in ipairs(order) do
  if hosts[host].place and not hosts[host].held then
    place(host)
  end
end
for job, c in pairs(counts) do
  redis.call('SADD', base .. ':jobs', job)
  for field, by in pairs(c) do
    tally(job, field, by)
  end
end
for job, s in pairs(seen) do
  if s.changed then
    redis.call('HSET', base .. ':s:' .. job, 'n', s.n, 'b', s.b)
  end
end
return answer(table.concat(verdicts))
