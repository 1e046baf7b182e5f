-- Prepended to every script of a shard. KEYS[1] is the shard's hash tag, the prefix of each of its
-- keys. Fingerprints are strings, because a Lua number has 53 bits.
local runId, now, worker, callId, pauseMillis = arguments(5)
local base = KEYS[1]
local meta = base .. ':m'
local shard = redis.call('HMGET', meta, 'run', 'hw', 'hold')
local latest, pausedUntil = tonumber(shard[2]) or 0, tonumber(shard[3]) or 0
now = tonumber(now)
if now > latest then
  redis.call('HSET', meta, 'hw', now)
else
  now = latest
end
if runId ~= '' and shard[1] ~= runId then
  if shard[1] then
    pausedUntil = now + pauseMillis
    redis.call('HSET', meta, 'run', runId, 'hold', pausedUntil)
  else
    redis.call('HSET', meta, 'run', runId)
  end
end

local function countersKey(job)
  return base .. ':t:' .. job
end

local function acceptedKey(job)
  return base .. KEY_ACCEPTED .. ':' .. job
end

local function deadKey(job)
  return base .. KEY_DEAD .. ':' .. job
end

local function deadRangesKey(job)
  return base .. KEY_DEAD_RANGES .. ':' .. job
end

-- Unclaimed hosts of a job, by the time when they are due.
local function dueKey(job)
  return base .. ':w:' .. job
end

local function claimedKey(host)
  return base .. ':c:' .. host
end

local function seenKey(job)
  return base .. ':s:' .. job
end

local function tally(job, field, by)
  if tonumber(by) ~= 0 then
    redis.call('HINCRBY', countersKey(job), field, by)
  end
end

local function queue(job, rank, host)
  return base .. ':q:' .. job .. ':' .. rank .. ':' .. host
end

-- The letters of the ranks, the first one first.
local function eachRank()
  return string.gmatch(RANKS, '.')
end

local function delayed(job, host)
  return base .. ':d:' .. job .. ':' .. host
end

local function hostKey(host)
  return base .. ':h:' .. host
end

local function eachJob(jobs)
  return string.gmatch(jobs or '', '%d+')
end

-- A record begins with the rank, the not-before time of the URL, and its fingerprint.
local function rankOf(record)
  return string.sub(record, 1, 1)
end

local function timeOf(record)
  return string.sub(record, 2, RECORD_TIME_END)
end

local function keyOf(record)
  return string.sub(record, RECORD_TIME_END + 1, RECORD_KEY_END)
end

-- URLs in a file are one element of the list: a tag, file, offset, bytes and number of URLs. The
-- record of a URL begins with a small letter. Returns the number and the file, or nil.
local function spilledRange(element)
  if rankOf(element) ~= SPILLED_TAG then
    return nil
  end
  local file, count = string.match(element, '^.(%w+),%d+,%d+,(%d+)$')
  return tonumber(count), file
end

-- Returns the entry of a file: the number of ranges in it, and since when there is none.
local function readFile(value)
  local count, since = string.match(value or '', '^(%d+) (%d+)$')
  return tonumber(count), tonumber(since)
end

-- Changes the number of ranges, in lists of URLs and among dead letters, of a file.
local function countRanges(file, by)
  local count, since = readFile(redis.call('HGET', base .. KEY_FILES, file))
  count = (count or 0) + by
  if count == 0 then
    since = now
  end
  redis.call('HSET', base .. KEY_FILES, file, integer(count) .. ' ' .. integer(since or 0))
end

-- A worker numbers its calls to a shard. Returns the stored reply to a call that was repeated after
-- a lost connection.
local function repeatedReply()
  if callId == '' then
    return nil
  end
  local before = redis.call('HGET', base .. KEY_LAST_CALLS, worker)
  if before then
    local space = string.find(before, ' ', 1, true)
    local lastId = string.sub(before, 1, space - 1)
    if lastId == callId then
      return string.sub(before, space + 1)
    end
    -- A call from an abandoned connection that arrives after its repetition and the next call: it
    -- was already executed.
    local lastInstance, lastNumber = string.match(lastId, '^(.*):(%d+)$')
    local instance, number = string.match(callId, '^(.*):(%d+)$')
    if lastInstance == instance and tonumber(number) < tonumber(lastNumber) then
      return ''
    end
  end
  return nil
end

local function remembered(reply)
  if callId ~= '' then
    redis.call('HSET', base .. KEY_LAST_CALLS, worker, callId .. ' ' .. reply)
  end
  return reply
end

-- Schedules a host at its next due time, which is returned; nil if it has no URLs. The number before
-- its name preserves the order of hosts that are due together.
local function place(host)
  local h = hostKey(host)
  local v = redis.call('HMGET', h, HOST_TOKEN, HOST_DELAYED_UNTIL, HOST_REST_UNTIL, HOST_JOBS, HOST_MEMBER)
  if v[1] then
    return
  end
  local delayedUntil, restUntil, member = tonumber(v[2]) or 0, tonumber(v[3]) or 0, v[5]
  local hostDue = math.max(delayedUntil, restUntil)
  local resting, soonest = nil, nil
  for job in eachJob(v[4]) do
    local f = redis.call('HMGET', h, HOST_QUEUED .. job, HOST_EXCLUDED .. job)
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
        redis.call('HSET', h, HOST_MEMBER, member)
      end
      local due = math.max(hostDue, from)
      soonest = math.min(soonest or math.huge, math.max(due, now))
      -- A host that is already due keeps its position.
      local before = tonumber(redis.call('ZSCORE', dueKey(job), member) or nil)
      if not before or before > now or due > now then
        redis.call('ZADD', dueKey(job), math.max(due, now), member)
      end
      if due > now and math.max(restUntil, from) > delayedUntil then
        resting = math.min(resting or due, due)
      end
    elseif member then
      redis.call('ZREM', dueKey(job), member)
    end
  end
  if resting then
    redis.call('ZADD', base .. KEY_RESTING_HOSTS, resting, host)
  else
    redis.call('ZREM', base .. KEY_RESTING_HOSTS, host)
  end
  return soonest
end

-- Returns the host's name in an element of the due list.
local function hostOfMember(member)
  return string.sub(member, 13)
end

local function addJob(host, job)
  local h = hostKey(host)
  local jobs = redis.call('HGET', h, HOST_JOBS)
  if not jobs then
    redis.call('HSET', h, HOST_JOBS, job)
    return
  end
  for known in eachJob(jobs) do
    if known == job then
      return
    end
  end
  redis.call('HSET', h, HOST_JOBS, jobs .. ',' .. job)
end

-- Counts URLs that were added or removed; if the job excludes the host, they count as withdrawn
-- instead.
local function countQueued(host, job, by)
  if redis.call('HEXISTS', hostKey(host), HOST_EXCLUDED .. job) == 1 then
    tally(job, COUNTER_WITHDRAWN, by)
    tally(job, REFUSED_EXCLUDED, by)
  else
    tally(job, COUNTER_QUEUED, by)
  end
end

-- Queues a dead letter again. Returns false if it does not exist any more.
local function requeue(host, job, id, record, cause)
  if redis.call('HDEL', deadKey(job), id) == 0 then
    return false
  end
  addJob(host, job)
  redis.call('RPUSH', queue(job, rankOf(record), host), record)
  redis.call('HINCRBY', hostKey(host), HOST_QUEUED .. job, 1)
  tally(job, COUNTER_DEAD .. cause, -1)
  countQueued(host, job, 1)
  return true
end

-- Returns whether a job was deleted: its late updates are rejected.
local function isDeleted(job)
  return redis.call('SISMEMBER', base .. KEY_DELETED, job) == 1
end

-- A URL's id is its job, a colon and its key.
local function idOf(job, record)
  return job .. ':' .. keyOf(record)
end

local function jobOf(id)
  return string.sub(id, 1, string.find(id, ':', 1, true) - 1)
end

-- A claimed URL is stored with its position among those of its host.
local function claimedRecord(value)
  return string.sub(value, ORDER_DIGITS + 1)
end

-- Ends a worker's claim of a host: its URLs return to the front of the lists.
local function release(host)
  local h, c = hostKey(host), claimedKey(host)
  local all, claimed = redis.call('HGETALL', c), {}
  for i = 1, #all, 2 do
    local order = string.sub(all[i + 1], 1, ORDER_DIGITS)
    claimed[#claimed + 1] = { id = all[i], order = order, record = claimedRecord(all[i + 1]) }
  end
  table.sort(claimed, function(a, b) return a.order > b.order end)
  for _, url in ipairs(claimed) do
    local job = jobOf(url.id)
    addJob(host, job)
    local notBefore = timeOf(url.record)
    if notBefore == NO_DELAY then
      redis.call('LPUSH', queue(job, rankOf(url.record), host), url.record)
      redis.call('HINCRBY', h, HOST_QUEUED .. job, 1)
    else
      redis.call('ZADD', delayed(job, host), notBefore, url.record)
    end
    tally(job, COUNTER_CLAIMED, -1)
    countQueued(host, job, 1)
  end
  redis.call('DEL', c)
  redis.call('HDEL', h, HOST_TOKEN, HOST_OWNER, HOST_MEMBER, HOST_DELAY_SENT)
  redis.call('ZREM', base .. KEY_CLAIMED_HOSTS, host)
end

-- Adds a dead letter of a host that is down.
local function addDeadLetter(job, record)
  redis.call('HSET', deadKey(job), idOf(job, record), CAUSE_HOST_DOWN .. ' ' .. record)
end

-- Returns whether a job has seen a URL.
local function isKnown(job, lowBits, fingerprint)
  local buckets = tonumber(redis.call('HGET', seenKey(job), SEEN_BUCKETS)) or 1
  local power = 1
  while power * 2 <= buckets do
    power = power * 2
  end
  local i = lowBits % (2 * power)
  if i >= buckets then
    i = i - power
  end
  return redis.call('SISMEMBER', seenKey(job) .. ':' .. i, fingerprint) == 1
end

-- Known pages of a job that are due later: slots by time, and in each slot its pages.
local function revisitsKey(job)
  return base .. KEY_REVISITS .. ':' .. job
end

-- What was observed on the pages of a host.
local function ratesKey(job, host)
  return base .. KEY_RATES .. ':' .. job .. ':' .. host
end

-- A known page is four bytes of its due time in seconds, its rank, the length of its host's name,
-- the name, and its record without rank and time.
local function dueOf(page)
  return (struct.unpack('>I4', page))
end

local function hostOfPage(page)
  return string.sub(page, 7, 6 + string.byte(page, 6))
end

local function restOfPage(page)
  return string.sub(page, 7 + string.byte(page, 6))
end

-- Stores a known page until it is due. The slot is an eighth of the remaining time long at most, so
-- that there are few; when it begins, pages that are not due go to shorter slots.
local function schedule(job, page, seconds)
  local due, length = dueOf(page), 1
  while length * 16 <= due - seconds do
    length = length * 2
  end
  local start = due - due % length
  local slot = integer(length) .. ':' .. integer(start)
  redis.call('RPUSH', revisitsKey(job) .. ':' .. slot, page)
  redis.call('ZADD', revisitsKey(job), start, slot)
end

-- Stores a known page of a host that is down, which is due a day later.
local function postpone(job, host, record)
  local seconds = math.floor(now / 1000) - REVISIT_EPOCH
  local due = struct.pack('>I4', seconds + 86400)
  schedule(job, due .. rankOf(record) .. string.char(#host) .. host .. string.sub(record, RECORD_TIME_END + 1), seconds)
  tally(job, COUNTER_SCHEDULED, 1)
  tally(job, COUNTER_REVISITS, -1)
  tally(job, COUNTER_DONE, 1)
  if string.byte(record, RECORD_KEY_END + 2) == LAST_PAGE then
    tally(job, COUNTER_PAGES, 1)
  end
end

-- Returns whether a record is that of a URL that was visited before.
local function isRevisit(record)
  return string.byte(record, RECORD_KEY_END + 1) >= REVISIT_FLAG
end
