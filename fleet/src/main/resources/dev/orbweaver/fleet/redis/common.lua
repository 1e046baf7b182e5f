-- Stands before every script of a shard. KEYS[1] is the shard's hash tag, with which each of its keys
-- begins; ARGV: run id of the server (none of somebody who only looks on), now, worker, number of the call, how long to hold after a restart.
-- Fingerprints stay strings: a Lua number holds 53 bits.
local base, now, worker = KEYS[1], tonumber(ARGV[2]), ARGV[3]
local meta = base .. ':m'
local state = redis.call('HMGET', meta, 'run', 'hw', 'hold')
local high, hold = tonumber(state[2]) or 0, tonumber(state[3]) or 0
if now > high then
  redis.call('HSET', meta, 'hw', ARGV[2])
else
  now = high
end
if ARGV[1] ~= '' and state[1] ~= ARGV[1] then
  if state[1] then
    hold = now + tonumber(ARGV[5])
    redis.call('HSET', meta, 'run', ARGV[1], 'hold', hold)
  else
    redis.call('HSET', meta, 'run', ARGV[1])
  end
end

local NEVER = '0000000000000'
local DELAYED_MAX = 256

local function tally(job, field, by)
  if tonumber(by) ~= 0 then
    redis.call('HINCRBY', base .. ':t:' .. job, field, by)
  end
end

local function queue(job, band, host)
  return base .. ':q:' .. job .. ':' .. band .. ':' .. host
end

local function delayed(job, host)
  return base .. ':d:' .. job .. ':' .. host
end

local function hostKey(host)
  return base .. ':h:' .. host
end

-- A stretch of a queue whose URLs lie in a file is one element of the list: R, then file, offset, bytes and number
-- of URLs with commas between. A URL's record begins with a digit. Answers the number and the file, or nil.
local function stretch(element)
  if string.byte(element) ~= 82 then
    return nil
  end
  local file, count = string.match(element, '^R(%w+),%d+,%d+,(%d+)$')
  return tonumber(count), file
end

-- So many more stretches, in queues and among dead letters, are in a file; with the time since when there is none.
local function refer(file, by)
  local count, since = string.match(redis.call('HGET', base .. ':f', file) or '0 0', '^(%d+) (%d+)$')
  count = tonumber(count) + by
  if count == 0 then
    since = string.format('%d', now)
  end
  redis.call('HSET', base .. ':f', file, string.format('%d', count) .. ' ' .. since)
end

-- A worker numbers its calls to a shard; one that is repeated after a cut is answered, not made again.
local function repeated()
  if ARGV[4] == '' then
    return nil
  end
  local last = redis.call('HGET', base .. ':last', worker)
  if last then
    local space = string.find(last, ' ', 1, true)
    local made = string.sub(last, 1, space - 1)
    if made == ARGV[4] then
      return string.sub(last, space + 1)
    end
    -- One that lay in a connection that was given up, and comes after its repetition and the next: it was made.
    local life, count = string.match(made, '^(.*):(%d+)$')
    local hers, number = string.match(ARGV[4], '^(.*):(%d+)$')
    if life == hers and tonumber(number) < tonumber(count) then
      return ''
    end
  end
  return nil
end

local function answer(text)
  if ARGV[4] ~= '' then
    redis.call('HSET', base .. ':last', worker, ARGV[4] .. ' ' .. text)
  end
  return text
end

-- Puts a host where its next turn is. The number before its name keeps those due together in their order.
local function place(host)
  local h = hostKey(host)
  local v = redis.call('HMGET', h, 'tok', 'dly', 'rest', 'jobs', 'm')
  if v[1] then
    return
  end
  local dly, rest, member = tonumber(v[2]) or 0, tonumber(v[3]) or 0, v[5]
  local ask = math.max(dly, rest)
  local resting = nil
  for job in string.gmatch(v[4] or '', '%d+') do
    local w = base .. ':w:' .. job
    local f = redis.call('HMGET', h, 'n:' .. job, 'x:' .. job)
    local waiting = tonumber(f[1]) or 0
    local from = nil
    if not f[2] then
      local first = redis.call('ZRANGE', delayed(job, host), 0, 0, 'WITHSCORES')
      local crowd = first[1] and redis.call('ZCARD', delayed(job, host)) or 0
      if waiting > 0 and crowd < DELAYED_MAX then
        from = 0
      elseif first[1] then
        from = tonumber(first[2])
      end
    end
    if from then
      if not member then
        member = string.format('%012d', redis.call('HINCRBY', meta, 'seq', 1)) .. host
        redis.call('HSET', h, 'm', member)
      end
      local due = math.max(ask, from)
      -- One that is in the line already keeps its place there.
      local stands = tonumber(redis.call('ZSCORE', w, member) or nil)
      if not stands or stands > now or due > now then
        redis.call('ZADD', w, math.max(due, now), member)
      end
      if due > now and math.max(rest, from) > dly then
        resting = math.min(resting or due, due)
      end
    elseif member then
      redis.call('ZREM', w, member)
    end
  end
  if resting then
    redis.call('ZADD', base .. ':rest', resting, host)
  else
    redis.call('ZREM', base .. ':rest', host)
  end
end

local function addJob(host, job)
  local h = hostKey(host)
  local jobs = redis.call('HGET', h, 'jobs')
  if not jobs then
    redis.call('HSET', h, 'jobs', job)
    return
  end
  for known in string.gmatch(jobs, '%d+') do
    if known == job then
      return
    end
  end
  redis.call('HSET', h, 'jobs', jobs .. ',' .. job)
end

-- So many more URLs wait in a queue; where it is excluded, they are withdrawn instead.
local function waits(host, job, by)
  if redis.call('HEXISTS', hostKey(host), 'x:' .. job) == 1 then
    tally(job, 'wd', by)
    tally(job, 'r.excluded', by)
  else
    tally(job, 'q', by)
  end
end

-- A dead letter waits again. False when it is none any more.
local function takeBackLetter(host, job, id, record, cause)
  if redis.call('HDEL', base .. ':dead:' .. job, id) == 0 then
    return false
  end
  addJob(host, job)
  redis.call('RPUSH', queue(job, string.sub(record, 1, 1), host), record)
  redis.call('HINCRBY', hostKey(host), 'n:' .. job, 1)
  tally(job, 'd.' .. cause, -1)
  waits(host, job, 1)
  return true
end

-- Whether a job was deleted for good; whatever is still said of it is too late.
local function gone(job)
  return redis.call('SISMEMBER', base .. ':gone', job) == 1
end

local function idJob(id)
  return string.sub(id, 1, string.find(id, ':', 1, true) - 1)
end

-- Ends a worker's hold on a host: what it had of the host's URLs goes to the front of the queues.
local function takeBack(host)
  local h, c = hostKey(host), base .. ':c:' .. host
  local all, held = redis.call('HGETALL', c), {}
  for i = 1, #all, 2 do
    held[#held + 1] = { id = all[i], order = string.sub(all[i + 1], 1, 6), record = string.sub(all[i + 1], 7) }
  end
  table.sort(held, function(a, b) return a.order > b.order end)
  for _, url in ipairs(held) do
    local job = idJob(url.id)
    addJob(host, job)
    local notBefore = string.sub(url.record, 2, 14)
    if notBefore == NEVER then
      redis.call('LPUSH', queue(job, string.sub(url.record, 1, 1), host), url.record)
      redis.call('HINCRBY', h, 'n:' .. job, 1)
    else
      redis.call('ZADD', delayed(job, host), notBefore, url.record)
    end
    tally(job, 'c', -1)
    waits(host, job, 1)
  end
  redis.call('DEL', c)
  redis.call('HDEL', h, 'tok', 'own', 'until', 'm', 'told')
  redis.call('ZREM', base .. ':busy', host)
end

-- The delay that a worker other than the holder has read for a host, until the holder was told and has called again.
local function slowedDown(h)
  local v = redis.call('HMGET', h, 'slow', 'told')
  if v[1] and v[2] then
    redis.call('HDEL', h, 'slow', 'told')
    return nil
  elseif v[1] then
    redis.call('HSET', h, 'told', 1)
  end
  return v[1]
end

-- Gives up what waits on a host, so much at a time. True when there is more.
local function buryAll(host, limit)
  local h, left = hostKey(host), limit
  for job in string.gmatch(redis.call('HGET', h, 'jobs') or '', '%d+') do
    local d, gone = base .. ':dead:' .. job, 0
    local function bury(record)
      local count = stretch(record)
      if count then
        -- What lies in a file is given up there, all at once.
        redis.call('SADD', base .. ':dr:' .. job, record)
        tally(job, 'cold', -count)
      else
        redis.call('HSET', d, job .. ':' .. string.sub(record, 15, 24), 'host-down ' .. record)
      end
      gone = gone + (count or 1)
      return count or 1
    end
    for band = 0, 3 do
      while left > 0 do
        local some = redis.call('LPOP', queue(job, band, host), math.min(left, 1000))
        if not some then
          break
        end
        local urls = 0
        for _, record in ipairs(some) do
          urls = urls + bury(record)
        end
        redis.call('HINCRBY', h, 'n:' .. job, -urls)
        left = left - #some
      end
    end
    for _, record in ipairs(redis.call('ZRANGE', delayed(job, host), 0, -1)) do
      bury(record)
    end
    redis.call('DEL', delayed(job, host))
    if gone > 0 then
      waits(host, job, -gone)
      tally(job, 'd.host-down', gone)
    end
  end
  return left <= 0
end

-- Whether a job has met a URL. ARGV as its offer has them: the low 32 bits and the decimal text of its fingerprint.
local function known(job, bits, member)
  local b = tonumber(redis.call('HGET', base .. ':s:' .. job, 'b')) or 1
  local p = 1
  while p * 2 <= b do
    p = p * 2
  end
  local i = bits % (2 * p)
  if i >= b then
    i = i - p
  end
  return redis.call('SISMEMBER', base .. ':s:' .. job .. ':' .. i, member) == 1
end
