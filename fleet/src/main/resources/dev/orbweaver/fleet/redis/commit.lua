-- What a worker did with hosts it holds. ARGV: lease time, then for each host: name, token, its state (blob,
-- end of delay, end of rest, delay, pages), K to keep or R to return it, number of changes, the changes.
-- A change: kind, id, two values. D done (page 0/1, bytes),
-- W withdrawn (reason), X dead (cause, record), U other record, M moved to another host, G give up all that waits,
-- C counter (job as id, field, by), V a dead letter taken back (record, cause).
-- Answers for each host a letter 1, or 0 when it is no longer held, then one for each change: 1 made, 0 not,
-- 2 there is more of it to do; then ~ and a delay that another worker has read for the host; hosts apart by a space.
local done = repeated()
if done then
  return done
end
local lease = tonumber(ARGV[6])
local GIVEN_UP_AT_ONCE = 5000

local function change(host, h, c, at)
  local kind, id, a, b = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  if kind == 'C' then
    if not gone(id) then
      tally(id, a, b)
    end
    return '1'
  elseif kind == 'G' then
    return buryAll(host, GIVEN_UP_AT_ONCE) and '2' or '1'
  end
  local job = idJob(id)
  if kind == 'V' then
    return takeBackLetter(host, job, id, a, b) and '1' or '0'
  end
  local held = redis.call('HGET', c, id)
  if not held then
    return '0'
  end
  if kind == 'U' then
    redis.call('HSET', c, id, string.sub(held, 1, 6) .. a)
    return '1'
  end
  redis.call('HDEL', c, id)
  tally(job, 'c', -1)
  if kind == 'D' then
    tally(job, 'done', 1)
    tally(job, 'bytes', b)
    if a == '1' then
      tally(job, 'pages', 1)
    end
  elseif kind == 'W' then
    tally(job, 'wd', 1)
    tally(job, 'r.' .. a, 1)
  elseif kind == 'X' then
    tally(job, 'd.' .. a, 1)
    redis.call('HSET', base .. ':dead:' .. job, id, a .. ' ' .. b)
  end
  return '1'
end

local verdicts, at = {}, 7
while at <= #ARGV do
  local host, token, size = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 8])
  local h, c = hostKey(host), base .. ':c:' .. host
  local first = at + 9
  local held = redis.call('HMGET', h, 'tok', 'own')
  if held[1] ~= token or held[2] ~= worker then
    verdicts[#verdicts + 1] = '0' .. string.rep('0', size)
  else
    local made = { '1' }
    for i = 0, size - 1 do
      made[#made + 1] = change(host, h, c, first + 4 * i)
    end
    redis.call('HSET', h, 'blob', ARGV[at + 2], 'dly', ARGV[at + 3], 'rest', ARGV[at + 4], 'dl', ARGV[at + 5],
      'pages', ARGV[at + 6])
    if ARGV[at + 7] == 'R' then
      takeBack(host)
      place(host)
    else
      redis.call('ZADD', base .. ':busy', now + lease, host)
      local slow = slowedDown(h)
      if slow then
        made[#made + 1] = '~' .. slow
      end
    end
    verdicts[#verdicts + 1] = table.concat(made)
  end
  at = first + 4 * size
end
return answer(table.concat(verdicts, ' '))
