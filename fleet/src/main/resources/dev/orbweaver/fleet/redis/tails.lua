-- Which queues of a job end in URLs, not in a stretch that lies in a file already. ARGV: job, where to go on ('0' at
-- first). Answers where to go on ('0' at the end), then host, band and length of each.
local job = ARGV[6]
local page = redis.call('HSCAN', base .. ':jh:' .. job, ARGV[7], 'COUNT', 1000)
local out = { page[1] }
for i = 1, #page[2], 2 do
  local host = page[2][i]
  for band = 0, 3 do
    local key = queue(job, band, host)
    local last = redis.call('LINDEX', key, -1)
    if last and not stretch(last) then
      out[#out + 1] = host
      out[#out + 1] = tostring(band)
      out[#out + 1] = tostring(redis.call('LLEN', key))
    end
  end
end
return out
