for i = 1, 10, 2 do n = i
 end
for x, y in pairs(t) do print(x, y)
 end
