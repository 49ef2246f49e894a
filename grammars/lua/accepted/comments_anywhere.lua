local a = 1 -- one
--[[ two
lines ]]
--[=[ ]] ]=]
--
b = a --[[]] + 2