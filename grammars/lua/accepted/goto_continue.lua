for i = 1, 3 do if n == 1 then goto continue end
x = nil
::continue:: end
