-- Takes places of a job under its limits. KEYS[1] the job's places; ARGV: worker, number of the call, limit of hosts,
-- limit of URLs a domain, then for each URL: its host when the job has none of it yet or '', its domain.
-- Answers a letter for each: 1 there is a place, H no more hosts, D no more of its domain. A call that is repeated
-- is answered and not made again.
local last = redis.call('HGET', KEYS[1], 'last.' .. ARGV[1])
if last then
  local space = string.find(last, ' ', 1, true)
  if string.sub(last, 1, space - 1) == ARGV[2] then
    return string.sub(last, space + 1)
  end
end
local letters, taken, hosts, perDomain = {}, {}, tonumber(ARGV[3]), tonumber(ARGV[4])
local function place(name, limit)
  if (tonumber(redis.call('HGET', KEYS[1], name)) or 0) >= limit then
    return false
  end
  redis.call('HINCRBY', KEYS[1], name, 1)
  return true
end
for at = 5, #ARGV, 2 do
  local host, domain = ARGV[at], 'd.' .. ARGV[at + 1]
  if host ~= '' and not taken[host] and not place('hosts', hosts) then
    letters[#letters + 1] = 'H'
  else
    taken[host] = true
    letters[#letters + 1] = place(domain, perDomain) and '1' or 'D'
  end
end
local answer = table.concat(letters)
redis.call('HSET', KEYS[1], 'last.' .. ARGV[1], ARGV[2] .. ' ' .. answer)
return answer
