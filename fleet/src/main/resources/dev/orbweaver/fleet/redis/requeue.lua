-- Queues dead letters of a host again, whether or not a worker has claimed it. Replies with their
-- number.
local host, job = arguments(2)
local count = 0
while hasArguments() do
  local id, record, cause = arguments(3)
  if requeue(host, job, id, record, cause) then
    count = count + 1
  end
end
place(host)
return integer(count)
