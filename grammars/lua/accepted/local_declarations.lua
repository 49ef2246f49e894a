local n = 1
local x, y = f(n), nil;