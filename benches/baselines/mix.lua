-- The loop of dialplans/mix.conf, ten lines a round, in Lua's own types.
local rounds = tonumber(arg[1])
io.write("begin\n")
io.flush()
local EXTEN, GROUP = "812125551", "a"
local n, cid, tries, acct = rounds, "5559999", 0, ""
local num, dest, len
while not (tries >= n) do
  num = EXTEN:sub(2)
  dest = "PJSIP/" .. num .. "@trunk-" .. GROUP
  if cid == "5551234" then
    break
  end
  len = #num
  if len > 7 then
    acct = "long"
  end
  local _ = "call to " .. dest
  tries = tries + 1
  acct = acct .. "-" .. num:sub(-4)
end
io.write("end ", acct, "\n")
io.flush()
