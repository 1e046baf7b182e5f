-- Prepended to every script. Names in capitals are defined in ScriptConstants.java, except those
-- that a script declares itself.
-- Arguments are read in order; ScriptCodec.java writes them in the same order, under the same
-- names.
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
