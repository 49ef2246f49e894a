if n <= 3 and n ~= 4 then
x = 1
 elseif not x then  end
