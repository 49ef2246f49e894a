while n > 0 do n = n - 1
if n == 2 then break end
 end
