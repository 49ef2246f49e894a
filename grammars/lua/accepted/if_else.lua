if n < 3 then x = nil
 elseif true then s = "b"
 else y = f(1)
 end
