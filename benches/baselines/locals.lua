-- The counting loop of extension 81, numbers in local variables: per round a comparison, a text that nobody reads,
-- an addition and a jump. The clock is the reader's, between the two lines printed.
local rounds = tonumber(arg[1])
io.write("begin\n")
io.flush()
local i = 1
while i < rounds do
  local _ = "Hello"
  i = i + 1
end
io.write("end ", tostring(i), "\n")
io.flush()
