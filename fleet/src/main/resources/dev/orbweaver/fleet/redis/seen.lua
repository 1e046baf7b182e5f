-- Which URLs a job has met. ARGV: job, then of each URL: host, low 32 bits and decimal text of its fingerprint.
-- Answers a letter for each: 0 met before, N new, H new and the first of its host.
local job, letters = ARGV[6], {}
for at = 7, #ARGV, 3 do
  if known(job, tonumber(ARGV[at + 1]), ARGV[at + 2]) then
    letters[#letters + 1] = '0'
  else
    letters[#letters + 1] = redis.call('HEXISTS', base .. ':jh:' .. job, ARGV[at]) == 1 and 'N' or 'H'
  end
end
return table.concat(letters)
