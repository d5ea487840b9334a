-- The counting loop of extension 81, every value a text, as in a dialplan: read as a number, written back as text.
local rounds = tonumber(arg[1])
io.write("begin\n")
io.flush()
local iterations = tostring(rounds)
local i = "1"
while tonumber(i) < tonumber(iterations) do
  local _ = "Hello"
  i = tostring(tonumber(i) + 1)
end
io.write("end ", i, "\n")
io.flush()
