-- Changes balances of trap patterns. KEYS[1] the job's balances; ARGV: worker, id of the changes ('' to read only), highest
-- balance, most balances kept, then pattern and change. Answers the balance of each pattern after all changes.
-- Changes that are sent again are not made again.
local worker, id, max, most = 'last.' .. ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if id ~= '' and redis.call('HGET', KEYS[1], worker) ~= id then
  for i = 5, #ARGV, 2 do
    local balance = (tonumber(redis.call('HGET', KEYS[1], ARGV[i])) or 0) + tonumber(ARGV[i + 1])
    redis.call('HSET', KEYS[1], ARGV[i], math.min(balance, max))
  end
  redis.call('HSET', KEYS[1], worker, id)
  local over = redis.call('HLEN', KEYS[1]) - most
  if over > 0 then
    redis.call('HDEL', KEYS[1], unpack(redis.call('HRANDFIELD', KEYS[1], over)))
  end
end
local balances = {}
for i = 5, #ARGV, 2 do
  balances[#balances + 1] = redis.call('HGET', KEYS[1], ARGV[i]) or '0'
end
return table.concat(balances, ' ')
