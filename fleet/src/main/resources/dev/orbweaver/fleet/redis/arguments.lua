-- Stands before every script. Names in capitals are of ScriptConstants.java, but for those that a script declares.
-- Arguments are read in order; the request's record writes them in the same order, under the same names.
local position, last = 0, #ARGV
local function arguments(count)
  position = position + count
  return unpack(ARGV, position - count + 1, position)
end

local function hasArguments()
  return position < last
end

local function integer(number)
  return string.format('%d', number)
end
