-- Lists queues of a job that end in URLs, not in a range that is already in a file, page by page.
-- Replies with the next cursor, then host, rank and length of each.
local job, cursor = arguments(2)
local page = redis.call('HSCAN', acceptedKey(job), cursor, 'COUNT', 1000)
local out = { page[1] }
for i = 1, #page[2], 2 do
  local host = page[2][i]
  for rank in eachRank() do
    local key = queue(job, rank, host)
    local tail = redis.call('LINDEX', key, -1)
    if tail and not spilledRange(tail) then
      out[#out + 1] = host
      out[#out + 1] = rank
      out[#out + 1] = integer(redis.call('LLEN', key))
    end
  end
end
return out
