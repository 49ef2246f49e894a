do local n = 0 ::l:: n = n + 1 f()
if n < 3 then goto l end end
