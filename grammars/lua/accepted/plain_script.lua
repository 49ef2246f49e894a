-- A comment
local count , total = 0 , { } --[==[ another ]==] ;
for index , value in pairs ( list ) do
	total [ index ] = - value + # list
	if not ( value > 3 ) and count ~= 2 then break end
end
return count , ...
-- the end