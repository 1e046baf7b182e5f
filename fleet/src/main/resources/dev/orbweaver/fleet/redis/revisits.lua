-- Queues known pages of a job that are due, the earliest first, up to a number; early: also before
-- they are due, but not sooner after their last visit than a number of seconds. A caller with an old
-- token changes nothing.
-- Replies: number of queued pages, how many of them were not due, when the next slot begins.
local job, token, max, early, seconds, minSeconds = arguments(6)
local LOOKED_MAX = 2000
max, seconds, minSeconds = tonumber(max), tonumber(seconds), tonumber(minSeconds)
local holder = tonumber(redis.call('HGET', meta, SHARD_REVISITS .. job)) or 0
if tonumber(token) < holder or isDeleted(job) then
  return { '0', '0', '' }
end
if tonumber(token) > holder then
  redis.call('HSET', meta, SHARD_REVISITS .. job, token)
end

local slots, hosts, taken, ahead, looked = revisitsKey(job), {}, 0, 0, 0

local function enqueue(page)
  local host, rest, rank = hostOfPage(page), restOfPage(page), string.sub(page, 5, 5)
  local record = rank .. NO_DELAY .. rest
  addJob(host, job)
  redis.call('RPUSH', queue(job, rank, host), record)
  redis.call('HINCRBY', hostKey(host), HOST_QUEUED .. job, 1)
  countQueued(host, job, 1)
  tally(job, COUNTER_DONE, -1)
  if string.byte(record, RECORD_KEY_END + 2) == LAST_PAGE then
    tally(job, COUNTER_PAGES, -1)
  end
  hosts[host] = true
  taken = taken + 1
end

-- Takes some pages of the first slot; returns false if none of them could be queued.
local function take(slot)
  local some = redis.call('LPOP', slots .. ':' .. slot, math.min(max - taken, 100)) or {}
  local before = taken
  for _, page in ipairs(some) do
    local due = dueOf(page)
    local visited = struct.unpack('>I4', restOfPage(page), REVISIT_VISITED_AT)
    if due <= seconds then
      enqueue(page)
    elseif early == '1' and seconds - visited >= minSeconds then
      enqueue(page)
      ahead = ahead + 1
    else
      schedule(job, page, seconds)
    end
  end
  looked = looked + #some
  if redis.call('EXISTS', slots .. ':' .. slot) == 0 then
    redis.call('ZREM', slots, slot)
  end
  return taken > before or early ~= '1'
end

local first
repeat
  first = redis.call('ZRANGE', slots, 0, 0, 'WITHSCORES')
  local open = first[1] and taken < max and looked < LOOKED_MAX and (early == '1' or tonumber(first[2]) <= seconds)
until not (open and take(first[1]))

for host in pairs(hosts) do
  if redis.call('HEXISTS', hostKey(host), HOST_TOKEN) == 0 then
    place(host)
  end
end
tally(job, COUNTER_SCHEDULED, -taken)
tally(job, COUNTER_REVISITS, taken)
return { integer(taken), integer(ahead), first[1] and first[2] or '' }
