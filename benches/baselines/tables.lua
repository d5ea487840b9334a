-- The counting loop of extension 81, variables in a table under their names.
local rounds = tonumber(arg[1])
io.write("begin\n")
io.flush()
local variables = { iterations = rounds, i = 1 }
while variables.i < variables.iterations do
  local _ = "Hello"
  variables.i = variables.i + 1
end
io.write("end ", tostring(variables.i), "\n")
io.flush()
