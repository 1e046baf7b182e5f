-- Applies a worker's changes of hosts that it has claimed. Every change has four arguments.
-- Replies for each host a letter (whether the worker still has the claim), a letter for each change
-- and, after a mark, a delay that another worker has read for the host; hosts are separated by
-- spaces.
local reply = repeatedReply()
if reply then
  return reply
end
local DEAD_AT_ONCE = 5000
local leaseMillis = arguments(1)

-- Makes dead letters of a host's queued URLs, up to a limit. Returns true if there are more.
local function hostDown(host)
  local h, left = hostKey(host), DEAD_AT_ONCE
  for job in eachJob(redis.call('HGET', h, HOST_JOBS)) do
    local total, known = 0, 0
    local function bury(record)
      local count = spilledRange(record)
      if count then
        redis.call('SADD', deadRangesKey(job), record)
        tally(job, COUNTER_SPILLED, -count)
      elseif isRevisit(record) then
        postpone(job, host, record)
        known = known + 1
      else
        addDeadLetter(job, record)
      end
      total = total + (count or 1)
      return count or 1
    end
    for rank in eachRank() do
      while left > 0 do
        local some = redis.call('LPOP', queue(job, rank, host), math.min(left, 1000))
        if not some then
          break
        end
        local urls = 0
        for _, record in ipairs(some) do
          urls = urls + bury(record)
        end
        redis.call('HINCRBY', h, HOST_QUEUED .. job, -urls)
        left = left - #some
      end
    end
    for _, record in ipairs(redis.call('ZRANGE', delayed(job, host), 0, -1)) do
      bury(record)
    end
    redis.call('DEL', delayed(job, host))
    if total > 0 then
      countQueued(host, job, -total)
      tally(job, DEAD_HOST_DOWN, total - known)
    end
  end
  return left <= 0
end

-- Returns the delay that another worker has read for a host, until its holder has received it and
-- called again.
local function reportedDelay(h)
  local v = redis.call('HMGET', h, HOST_REPORTED_DELAY, HOST_DELAY_SENT)
  if v[1] and v[2] then
    redis.call('HDEL', h, HOST_REPORTED_DELAY, HOST_DELAY_SENT)
    return nil
  elseif v[1] then
    redis.call('HSET', h, HOST_DELAY_SENT, 1)
  end
  return v[1]
end

local function apply(host, kind, id, value, detail)
  if kind == CHANGE_COUNTED then
    if not isDeleted(id) then
      tally(id, value, detail)
    end
    return RESULT_APPLIED
  elseif kind == CHANGE_RATES then
    -- A number of four bytes, then what was observed.
    for at = 1, #value, RATE_BYTES + 4 do
      redis.call('HSET', ratesKey(id, host), string.sub(value, at, at + 3), string.sub(value, at + 4, at + 3 + RATE_BYTES))
    end
    return RESULT_APPLIED
  elseif kind == CHANGE_HOST_DOWN then
    return hostDown(host) and RESULT_INCOMPLETE or RESULT_APPLIED
  end
  local job, c = jobOf(id), claimedKey(host)
  if kind == CHANGE_REQUEUED then
    return requeue(host, job, id, value, detail) and RESULT_APPLIED or RESULT_REFUSED
  end
  local claimed = redis.call('HGET', c, id)
  if not claimed then
    return RESULT_REFUSED
  end
  if kind == CHANGE_UPDATED then
    redis.call('HSET', c, id, string.sub(claimed, 1, ORDER_DIGITS) .. value)
    return RESULT_APPLIED
  end
  redis.call('HDEL', c, id)
  tally(job, COUNTER_CLAIMED, -1)
  if kind == CHANGE_DONE then
    tally(job, COUNTER_DONE, 1)
    tally(job, COUNTER_BYTES, detail)
    if value == '1' then
      tally(job, COUNTER_PAGES, 1)
    end
  elseif kind == CHANGE_VISITED then
    -- Whether it is a page, then its length and the page as it is stored until its next visit.
    local known = isRevisit(claimedRecord(claimed))
    local length = string.match(detail, '^%d+')
    tally(job, COUNTER_DONE, 1)
    tally(job, COUNTER_BYTES, length)
    if value == '1' then
      tally(job, COUNTER_PAGES, 1)
    end
    if known then
      tally(job, COUNTER_REVISITS, -1)
    end
    local page = string.sub(detail, #length + 2)
    if page ~= '' and not isDeleted(job) then
      schedule(job, page, math.floor(now / 1000) - REVISIT_EPOCH)
      tally(job, COUNTER_SCHEDULED, 1)
    end
  elseif kind == CHANGE_WITHDRAWN then
    tally(job, COUNTER_WITHDRAWN, 1)
    tally(job, COUNTER_REFUSED .. value, 1)
  elseif kind == CHANGE_DEAD then
    tally(job, COUNTER_DEAD .. value, 1)
    redis.call('HSET', deadKey(job), id, value .. ' ' .. detail)
  end
  return RESULT_APPLIED
end

local hosts = {}
while hasArguments() do
  local host, token, state, delayedUntil, restUntil, delayMillis, pages, released, changes = arguments(9)
  local h = hostKey(host)
  local holder = redis.call('HMGET', h, HOST_TOKEN, HOST_OWNER)
  local claimed = holder[1] == token and holder[2] == worker
  local results = { claimed and RESULT_APPLIED or RESULT_REFUSED }
  for _ = 1, tonumber(changes) do
    local kind, id, value, detail = arguments(4)
    results[#results + 1] = claimed and apply(host, kind, id, value, detail) or RESULT_REFUSED
  end
  if claimed then
    redis.call('HSET', h, HOST_STATE, state, HOST_DELAYED_UNTIL, delayedUntil, HOST_REST_UNTIL, restUntil, HOST_DELAY, delayMillis,
      HOST_PAGES, pages)
    if released == '1' then
      release(host)
      place(host)
    else
      redis.call('ZADD', base .. KEY_CLAIMED_HOSTS, now + leaseMillis, host)
      local delay = reportedDelay(h)
      if delay then
        results[#results + 1] = DELAY_MARK .. delay
      end
    end
  end
  hosts[#hosts + 1] = table.concat(results)
end
return remembered(table.concat(hosts, ' '))
