-- Adds to counters, then accepts URLs. Replies with a letter for each URL and, after a mark, when the
-- first of the unclaimed hosts that got URLs is due.
local reply = repeatedReply()
if reply then
  return reply
end

local BUCKET_SIZE = 200
local WORD = 4294967296

-- Returns the low 32 bits of a decimal number of up to 64 bits, in steps that a double represents
-- exactly.
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

-- Linear hashing (Litwin, 1980): buckets are split one by one, each by one more bit of its members,
-- so that none exceeds the size up to which Redis uses the packed encoding.
local seen = {}
local function seenOf(job)
  local s = seen[job]
  if not s then
    local v = redis.call('HMGET', seenKey(job), SEEN_COUNT, SEEN_BUCKETS)
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
  return seenKey(job) .. ':' .. i
end

local function split(job, s)
  s.p = power(s.b)
  local from = seenKey(job) .. ':' .. (s.b - s.p)
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
    redis.call('SADD', seenKey(job) .. ':' .. s.b, unpack(go))
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
  if s.n > s.b * BUCKET_SIZE then
    split(job, s)
  end
  return true
end

local function met(job, bits, member)
  return redis.call('SISMEMBER', bucket(job, seenOf(job), bits), member) == 1
end

local hosts, order, counts = {}, {}, {}
local function count(job, counter, by)
  local c = counts[job]
  if not c then
    c = {}
    counts[job] = c
  end
  c[counter] = (c[counter] or 0) + by
end

local function hostOf(host)
  local v = hosts[host]
  if not v then
    local f = redis.call('HMGET', hostKey(host), HOST_TOKEN, HOST_PAGES, HOST_JOBS)
    v = { claimed = f[1], pages = tonumber(f[2]) or 0, jobs = {}, place = false }
    for job in eachJob(f[3]) do
      v.jobs[job] = true
    end
    if not f[3] and redis.call('EXISTS', hostKey(host)) == 0 then
      redis.call('HINCRBY', meta, SHARD_HOSTS, 1)
    end
    hosts[host] = v
    order[#order + 1] = host
  end
  return v
end

local function enqueue(job, host, record, rank, first, notBefore)
  local v = hostOf(host)
  if not v.jobs[job] then
    addJob(host, job)
    v.jobs[job] = true
  end
  if notBefore ~= NO_DELAY then
    redis.call('ZADD', delayed(job, host), notBefore, record)
    v.place = true
  else
    redis.call(first and 'LPUSH' or 'RPUSH', queue(job, rank, host), record)
    if redis.call('HINCRBY', hostKey(host), HOST_QUEUED .. job, 1) == 1 or first then
      v.place = true
    end
  end
  if redis.call('HEXISTS', hostKey(host), HOST_EXCLUDED .. job) == 1 then
    count(job, COUNTER_WITHDRAWN, 1)
    count(job, REFUSED_EXCLUDED, 1)
  else
    count(job, COUNTER_QUEUED, 1)
  end
end

local deleted = {}
local function isGone(job)
  if deleted[job] == nil then
    deleted[job] = isDeleted(job)
  end
  return deleted[job]
end

local function offer(mode, job, host, maxPerHost, lowBits, fingerprint, newHostRank, knownHostRank, notBefore, record)
  if isGone(job) then
    return OFFER_JOB_DELETED
  end
  local accepted = acceptedKey(job)
  if mode == MODE_MOVED then
    enqueue(job, host, record, rankOf(record), true, NO_DELAY)
    return OFFER_ACCEPTED
  elseif mode == MODE_EXCLUDED or mode ~= MODE_VISITED and maxPerHost > 0 then
    if met(job, lowBits, fingerprint) then
      count(job, COUNTER_DUPLICATES, mode == MODE_REPLAY and 0 or 1)
      return OFFER_DUPLICATE
    elseif mode == MODE_EXCLUDED then
      count(job, REFUSED_EXCLUDED, 1)
      return OFFER_EXCLUDED
    elseif (tonumber(redis.call('HGET', accepted, host)) or 0) >= maxPerHost then
      count(job, REFUSED_HOST_LIMIT, 1)
      return OFFER_LIMIT
    end
  end
  if not remember(job, lowBits, fingerprint) then
    count(job, COUNTER_DUPLICATES, mode == MODE_REPLAY and 0 or 1)
    return OFFER_DUPLICATE
  end
  count(job, COUNTER_ACCEPTED, 1)
  if mode == MODE_VISITED then
    count(job, COUNTER_DONE, 1)
    return OFFER_ACCEPTED
  end
  redis.call('HINCRBY', accepted, host, 1)
  local rank = hostOf(host).pages < YOUNG_HOST_PAGES and newHostRank or knownHostRank
  enqueue(job, host, rank .. notBefore .. record, rank, false, notBefore)
  return OFFER_ACCEPTED
end

local counterChanges = arguments(1)
for _ = 1, tonumber(counterChanges) do
  local job, counter, by = arguments(3)
  if not isGone(job) then
    count(job, counter, tonumber(by))
  end
end
local results = {}
while hasArguments() do
  local mode, job, host, maxPerHost, lowBits, fingerprint, newHostRank, knownHostRank, notBefore, record = arguments(10)
  results[#results + 1] = offer(mode, job, host, tonumber(maxPerHost), tonumber(lowBits), fingerprint, newHostRank,
    knownHostRank, notBefore, record)
end
local soonest = nil
for _, host in ipairs(order) do
  if hosts[host].place and not hosts[host].claimed then
    local due = place(host)
    soonest = due and math.min(soonest or due, due) or soonest
  end
end
for job, c in pairs(counts) do
  redis.call('SADD', base .. KEY_JOBS, job)
  for counter, by in pairs(c) do
    tally(job, counter, by)
  end
end
for job, s in pairs(seen) do
  if s.changed then
    redis.call('HSET', seenKey(job), SEEN_COUNT, s.n, SEEN_BUCKETS, s.b)
  end
end
return remembered(table.concat(results) .. (soonest and DUE_MARK .. integer(soonest) or ''))
