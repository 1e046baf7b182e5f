-- Takes dead letters of a host back whoever holds it. ARGV: host, job, then of each: id, record, cause.
-- Answers how many there were.
local host, job, count = ARGV[6], ARGV[7], 0
for at = 8, #ARGV, 3 do
  if takeBackLetter(host, job, ARGV[at], ARGV[at + 1], ARGV[at + 2]) then
    count = count + 1
  end
end
place(host)
return tostring(count)
