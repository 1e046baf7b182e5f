-- The beginnings of queues. ARGV: job, how many of each, then host and band of each.
local out = {}
for i = 8, #ARGV, 2 do
  out[#out + 1] = redis.call('LRANGE', queue(ARGV[6], ARGV[i + 1], ARGV[i]), 0, tonumber(ARGV[7]) - 1)
end
return out
