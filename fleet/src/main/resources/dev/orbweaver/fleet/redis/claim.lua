-- Claims due hosts for a worker, with some of their URLs; or one host by name, or more URLs of a
-- claimed one.
-- Replies: when the shard's next host is due or a claim expires, when to retry a host that cannot be claimed, hosts.
-- A host: name, token, its state, end of its delay, job and record of each URL, jobs with more
-- URLs, then for each job whose next URLs are in a file: job, rank, range; then a delay that
-- another worker has read for it.
local leaseMillis, hosts, urlsPerHost, host, token, force, defaultDelayMillis, jobs = arguments(8)
local weights, wanted = {}, {}
for job in eachJob(jobs) do
  wanted[job] = true
end
while hasArguments() do
  local job, weight = arguments(2)
  weights[job] = tonumber(weight)
end

for _, job in ipairs(redis.call('SMEMBERS', base .. KEY_PAUSED)) do
  weights[job] = 0
end

local expired = redis.call('ZRANGEBYSCORE', base .. KEY_CLAIMED_HOSTS, '-inf', '(' .. now, 'LIMIT', 0, 16)
for _, name in ipairs(expired) do
  local h = hostKey(name)
  local v = redis.call('HMGET', h, HOST_DELAYED_UNTIL, HOST_DELAY)
  release(name)
  -- Its holder may have just sent a request, so the delay counts from now.
  redis.call('HSET', h, HOST_DELAYED_UNTIL, math.max(tonumber(v[1]) or 0, now + (tonumber(v[2]) or 0)))
  place(name)
end

local ORDER_FORMAT = '%0' .. ORDER_DIGITS .. 'd'

local function promote(job, name)
  local d = delayed(job, name)
  local due = redis.call('ZRANGEBYSCORE', d, '-inf', now)
  for _, record in ipairs(due) do
    local rank = rankOf(record)
    redis.call('RPUSH', queue(job, rank, name), rank .. NO_DELAY .. string.sub(record, RECORD_TIME_END + 1))
    redis.call('ZREM', d, record)
  end
  if #due > 0 then
    redis.call('HINCRBY', hostKey(name), HOST_QUEUED .. job, #due)
  end
end

local function mayLease(job)
  return (weights[job] or 1) > 0
end

local function load(name, urls, more, spilled)
  local h, served = hostKey(name), {}
  for job in eachJob(redis.call('HGET', h, HOST_JOBS)) do
    if mayLease(job) and redis.call('HEXISTS', h, HOST_EXCLUDED .. job) == 0 then
      served[#served + 1] = job
    end
  end
  for _, job in ipairs(served) do
    promote(job, name)
    local left, taken = math.max(1, math.floor(urlsPerHost / #served)), 0
    for rank in eachRank() do
      local key = queue(job, rank, name)
      local some = left > 0 and redis.call('LPOP', key, left) or {}
      for i, record in ipairs(some) do
        if spilledRange(record) then
          for back = #some, i, -1 do
            redis.call('LPUSH', key, some[back])
          end
          if taken == 0 then
            spilled[#spilled + 1] = job
            spilled[#spilled + 1] = rank
            spilled[#spilled + 1] = record
          end
          left = 0 -- URLs of a lower rank must not come before these.
          break
        end
        local order = string.format(ORDER_FORMAT, redis.call('HINCRBY', h, HOST_ORDER, 1) % 10 ^ ORDER_DIGITS)
        redis.call('HSET', claimedKey(name), idOf(job, record), order .. record)
        urls[#urls + 1] = job
        urls[#urls + 1] = record
        left = left - 1
        taken = taken + 1
      end
    end
    local queued = tonumber(redis.call('HGET', h, HOST_QUEUED .. job)) or 0
    if taken > 0 then
      tally(job, COUNTER_QUEUED, -taken)
      tally(job, COUNTER_CLAIMED, taken)
      queued = redis.call('HINCRBY', h, HOST_QUEUED .. job, -taken)
    end
    if queued > 0 then
      more[#more + 1] = job
    end
  end
end

local function grant(name, fence, withUrls)
  local urls, more, spilled = {}, {}, {}
  if withUrls then
    load(name, urls, more, spilled)
  end
  local v = redis.call('HMGET', hostKey(name), HOST_STATE, HOST_DELAYED_UNTIL, HOST_REPORTED_DELAY)
  return { name, fence, v[1] or '', v[2] or '0', urls, more, spilled, v[3] or '' }
end

local function claim(name)
  local h = hostKey(name)
  local fence = integer(redis.call('HINCRBY', meta, 'tok', 1))
  local v = redis.call('HMGET', h, HOST_JOBS, HOST_MEMBER)
  if v[2] then
    for job in eachJob(v[1]) do
      redis.call('ZREM', dueKey(job), v[2])
    end
    redis.call('ZREM', base .. KEY_RESTING_HOSTS, name)
    redis.call('HDEL', h, HOST_MEMBER)
  end
  redis.call('HSET', h, HOST_TOKEN, fence, HOST_OWNER, worker, HOST_ORDER, 0)
  redis.call('HSETNX', h, HOST_DELAY, defaultDelayMillis)
  redis.call('ZADD', base .. KEY_CLAIMED_HOSTS, now + leaseMillis, name)
  return grant(name, fence, force ~= '1')
end

local allJobs = redis.call('SMEMBERS', base .. KEY_JOBS)
table.sort(allJobs, function(a, b) return tonumber(a) < tonumber(b) end)

-- Stride scheduling: the job that has advanced least is next. On a claimed host the worker decides.
local function nextHost()
  local reached = tonumber(redis.call('HGET', meta, 'reached')) or 0
  local best, least, chosen = nil, nil, nil
  for _, job in ipairs(allJobs) do
    if mayLease(job) and (jobs == '' or wanted[job]) then
      local first = redis.call('ZRANGEBYSCORE', dueKey(job), '-inf', now, 'LIMIT', 0, 1)[1]
      if first then
        local pass = math.max(tonumber(redis.call('HGET', meta, SHARD_PASS .. job)) or 0, reached)
        if not least or pass < least then
          best, least, chosen = hostOfMember(first), pass, job
        end
      end
    end
  end
  if best then
    redis.call('HSET', meta, 'reached', string.format('%.17g', least), SHARD_PASS .. chosen,
      string.format('%.17g', least + 1 / (weights[chosen] or 1)))
  end
  return best
end

local granted, retryAt = {}, ''
if host ~= '' then
  local v = redis.call('HMGET', hostKey(host), HOST_TOKEN, HOST_DELAYED_UNTIL, HOST_REST_UNTIL)
  local due = math.max(tonumber(v[2]) or 0, tonumber(v[3]) or 0)
  if v[1] and v[1] == token then
    granted[1] = grant(host, token, true)
  elseif v[1] or token ~= '' or pausedUntil > now then
    retryAt = integer(now + 100)
  elseif due > now and force ~= '1' then
    retryAt = integer(due)
  else
    if redis.call('EXISTS', hostKey(host)) == 0 then
      redis.call('HINCRBY', meta, SHARD_HOSTS, 1)
    end
    granted[1] = claim(host)
  end
elseif pausedUntil <= now then
  while #granted < tonumber(hosts) do
    local name = nextHost()
    if not name then
      break
    end
    granted[#granted + 1] = claim(name)
  end
end

local soonest = nil
for _, job in ipairs(allJobs) do
  local first = mayLease(job) and redis.call('ZRANGE', dueKey(job), 0, 0, 'WITHSCORES')
  if first and first[1] then
    soonest = math.min(soonest or tonumber(first[2]), tonumber(first[2]))
  end
end
if soonest and pausedUntil > soonest then
  soonest = pausedUntil
end
-- A claim that expires needs a worker too: its owner may be dead.
local ends = redis.call('ZRANGE', base .. KEY_CLAIMED_HOSTS, 0, 0, 'WITHSCORES')
if ends[1] then
  soonest = math.min(soonest or math.huge, tonumber(ends[2]) + 1)
end
return { soonest and integer(soonest) or '', retryAt, granted }
