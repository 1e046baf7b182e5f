-- Gives a worker hosts whose turn it is, with some of their URLs. ARGV: lease time, hosts wanted, URLs a host,
-- name ('' for whoever is next), token when the host is held and only more of its URLs are wanted, force
-- ('1' takes a host that still has to wait, and none of its URLs), delay to keep when the worker dies before it tells the host's own, jobs for which hosts are wanted ('' for all), then job and weight.
-- Answers: time of the shard's next turn or '', hosts. A host: name, token, its state as it was put down, time
-- until which its delay runs, job and record of each URL, jobs of which there is more, then of each job whose next
-- URLs lie in a file: job, band, stretch; then a delay that another worker has read for it or ''. Of a host asked for by name that cannot be had: name, '', '', time to ask again.
local lease, want, share = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local name, token, force = ARGV[9], ARGV[10], ARGV[11] == '1'
local weights = {}
local only = {}
for job in string.gmatch(ARGV[13], '%d+') do
  only[job] = true
end
for i = 14, #ARGV, 2 do
  weights[ARGV[i]] = tonumber(ARGV[i + 1])
end

for _, job in ipairs(redis.call('SMEMBERS', base .. ':paused')) do
  weights[job] = 0
end

local late = redis.call('ZRANGEBYSCORE', base .. ':busy', '-inf', '(' .. now, 'LIMIT', 0, 16)
for _, host in ipairs(late) do
  local h = hostKey(host)
  local v = redis.call('HMGET', h, 'dly', 'dl')
  takeBack(host)
  -- Its holder may have asked it just now, so the delay counts from here.
  redis.call('HSET', h, 'dly', math.max(tonumber(v[1]) or 0, now + (tonumber(v[2]) or 0)))
  place(host)
end

local function promote(job, host)
  local d = delayed(job, host)
  local due = redis.call('ZRANGEBYSCORE', d, '-inf', now)
  for _, record in ipairs(due) do
    local band = string.sub(record, 1, 1)
    redis.call('RPUSH', queue(job, band, host), band .. NEVER .. string.sub(record, 15))
    redis.call('ZREM', d, record)
  end
  if #due > 0 then
    redis.call('HINCRBY', hostKey(host), 'n:' .. job, #due)
  end
end

local function load(host, urls, more, cold)
  local h, jobs = hostKey(host), {}
  for job in string.gmatch(redis.call('HGET', h, 'jobs') or '', '%d+') do
    if (weights[job] or 1) > 0 and redis.call('HEXISTS', h, 'x:' .. job) == 0 then
      jobs[#jobs + 1] = job
    end
  end
  for _, job in ipairs(jobs) do
    promote(job, host)
    local left, taken = math.max(1, math.floor(share / #jobs)), 0
    for band = 0, 3 do
      local some = left > 0 and redis.call('LPOP', queue(job, band, host), left) or {}
      for i, record in ipairs(some) do
        if stretch(record) then
          for back = #some, i, -1 do
            redis.call('LPUSH', queue(job, band, host), some[back])
          end
          if taken == 0 then
            cold[#cold + 1] = job
            cold[#cold + 1] = tostring(band)
            cold[#cold + 1] = record
          end
          left = 0 -- Not those of a lower band before these.
          break
        end
        local order = string.format('%06d', redis.call('HINCRBY', h, 'o', 1) % 1000000)
        redis.call('HSET', base .. ':c:' .. host, job .. ':' .. string.sub(record, 15, 24), order .. record)
        urls[#urls + 1] = job
        urls[#urls + 1] = record
        left = left - 1
        taken = taken + 1
      end
    end
    local left = tonumber(redis.call('HGET', h, 'n:' .. job)) or 0
    if taken > 0 then
      tally(job, 'q', -taken)
      tally(job, 'c', taken)
      left = redis.call('HINCRBY', h, 'n:' .. job, -taken)
    end
    if left > 0 then
      more[#more + 1] = job
    end
  end
end

local function hand(host, fence, urls, more, cold)
  local v = redis.call('HMGET', hostKey(host), 'blob', 'dly')
  return { host, fence, v[1] or '', v[2] or '0', urls, more, cold, redis.call('HGET', hostKey(host), 'slow') or '' }
end

local function claim(host)
  local h, urls, more, cold = hostKey(host), {}, {}, {}
  local fence = tostring(redis.call('HINCRBY', meta, 'tok', 1))
  local v = redis.call('HMGET', h, 'jobs', 'm')
  if v[2] then
    for job in string.gmatch(v[1] or '', '%d+') do
      redis.call('ZREM', base .. ':w:' .. job, v[2])
    end
    redis.call('ZREM', base .. ':rest', host)
    redis.call('HDEL', h, 'm')
  end
  redis.call('HSET', h, 'tok', fence, 'own', worker, 'o', 0)
  redis.call('HSETNX', h, 'dl', ARGV[12])
  redis.call('ZADD', base .. ':busy', now + lease, host)
  if not force then
    load(host, urls, more, cold)
  end
  return hand(host, fence, urls, more, cold)
end

local jobs = redis.call('SMEMBERS', base .. ':jobs')
table.sort(jobs, function(a, b) return tonumber(a) < tonumber(b) end)

-- Stride scheduling as in JobLines: the job that has come least far is next.
local function nextHost()
  local reached = tonumber(redis.call('HGET', meta, 'reached')) or 0
  local best, least, chosen = nil, nil, nil
  for _, job in ipairs(jobs) do
    if (weights[job] or 1) > 0 and (ARGV[13] == '' or only[job]) then
      local first = redis.call('ZRANGEBYSCORE', base .. ':w:' .. job, '-inf', now, 'LIMIT', 0, 1)[1]
      if first then
        local pass = math.max(tonumber(redis.call('HGET', meta, 'pass:' .. job)) or 0, reached)
        if not least or pass < least then
          best, least, chosen = string.sub(first, 13), pass, job
        end
      end
    end
  end
  if best then
    redis.call('HSET', meta, 'reached', string.format('%.17g', least), 'pass:' .. chosen,
      string.format('%.17g', least + 1 / (weights[chosen] or 1)))
  end
  return best
end

local given = {}
if name ~= '' then
  local h = hostKey(name)
  local v = redis.call('HMGET', h, 'tok', 'dly', 'rest')
  local ask = math.max(tonumber(v[2]) or 0, tonumber(v[3]) or 0)
  if v[1] and v[1] == token then
    local urls, more, cold = {}, {}, {}
    load(name, urls, more, cold)
    given[1] = hand(name, token, urls, more, cold)
  elseif v[1] or token ~= '' or hold > now then
    given[1] = { name, '', '', tostring(now + 100), {}, {}, {}, '' }
  elseif ask > now and not force then
    given[1] = { name, '', '', string.format('%d', ask), {}, {}, {}, '' }
  else
    if redis.call('EXISTS', h) == 0 then
      redis.call('HINCRBY', meta, 'hosts', 1)
    end
    given[1] = claim(name)
  end
elseif hold <= now then
  while #given < want do
    local host = nextHost()
    if not host then
      break
    end
    given[#given + 1] = claim(host)
  end
end

local soonest = nil
for _, job in ipairs(jobs) do
  local first = (weights[job] or 1) > 0 and redis.call('ZRANGE', base .. ':w:' .. job, 0, 0, 'WITHSCORES')
  if first and first[1] then
    soonest = math.min(soonest or tonumber(first[2]), tonumber(first[2]))
  end
end
if soonest and hold > soonest then
  soonest = hold
end
return { soonest and string.format('%d', soonest) or '', given }
