-- Updates when the fleet's shards need a worker, and which of them have changed. KEYS[1] is the
-- agenda. A time is moved forward always, but back only if no worker has moved it since it was read:
-- every other update makes the score a little lower, so that it differs. Replies 1.
local AGENDA_STEP = 1 / 1024
local changes = string.gsub(KEYS[1], AGENDA_KEY .. '$', CHANGES_KEY)
local number = nil
while hasArguments() do
  local action, shard, time, before = arguments(4)
  if action == AGENDA_CHANGED then
    number = number or redis.call('ZINCRBY', changes, 1, CHANGES_LAST)
    redis.call('ZADD', changes, number, shard)
  elseif action == AGENDA_SOONER then
    local old = tonumber(redis.call('ZSCORE', KEYS[1], shard) or nil)
    local new = tonumber(time)
    if old and old <= new then
      new = old - AGENDA_STEP
    end
    redis.call('ZADD', KEYS[1], string.format('%.17g', new), shard)
  elseif tonumber(redis.call('ZSCORE', KEYS[1], shard) or nil) == tonumber(before) then
    if time == '' then
      redis.call('ZREM', KEYS[1], shard)
    else
      redis.call('ZADD', KEYS[1], time, shard)
    end
  end
end
return '1'
